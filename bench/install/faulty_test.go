package install

import (
	"errors"
	"os"
)

// faulty is a disk on which one step fails. A failing write writes half the
// data.
type faulty struct {
	disk
	step  int              // counts the steps
	at    int              // the failing step, 0 for none
	crash bool             // every later step does nothing, as if the process had been killed
	fault func()           // replaces the step; nil for an error
	names []string         // names of the steps
	limit map[string]error // steps that always fail
}

var errFault = errors.New("the disk is full")

func (f *faulty) next(name string) error {
	if err := f.limit[name]; err != nil {
		return err
	}
	f.step++
	f.names = append(f.names, name)
	if f.step == f.at && f.fault != nil {
		f.fault()
		return nil
	}
	if f.step == f.at || f.crash && f.at > 0 && f.step > f.at {
		return errFault
	}
	return nil
}

func (f *faulty) read(path string) ([]byte, error) {
	if err := f.next("read"); err != nil {
		return nil, err
	}
	return f.disk.read(path)
}

func (f *faulty) mkdir(path string) error {
	if err := f.next("mkdir"); err != nil {
		return err
	}
	return f.disk.mkdir(path)
}

func (f *faulty) temp(dir, pattern string, mode os.FileMode) (scratch, error) {
	if err := f.next("temp"); err != nil {
		return nil, err
	}
	s, err := f.disk.temp(dir, pattern, mode)
	return &faultyFile{s, f}, err
}

func (f *faulty) create(path string, mode os.FileMode) (scratch, error) {
	if err := f.next("create"); err != nil {
		return nil, err
	}
	s, err := f.disk.create(path, mode)
	return &faultyFile{s, f}, err
}

func (f *faulty) link(path, name string) error {
	if err := f.next("link"); err != nil {
		return err
	}
	return f.disk.link(path, name)
}

func (f *faulty) rename(from, to string) error {
	if err := f.next("rename"); err != nil {
		return err
	}
	return f.disk.rename(from, to)
}

func (f *faulty) remove(path string) error {
	if err := f.next("remove"); err != nil {
		return err
	}
	return f.disk.remove(path)
}

func (f *faulty) sync(dir string) error {
	if err := f.next("sync directory"); err != nil {
		return err
	}
	return f.disk.sync(dir)
}

type faultyFile struct {
	scratch
	disk *faulty
}

func (f *faultyFile) Write(p []byte) (int, error) {
	half := len(p) / 2
	n, err := f.scratch.Write(p[:half])
	if err != nil {
		return n, err
	}
	if err := f.disk.next("write"); err != nil {
		return half, err
	}
	n, err = f.scratch.Write(p[half:])
	return half + n, err
}

func (f *faultyFile) Sync() error {
	if err := f.disk.next("sync"); err != nil {
		return err
	}
	return f.scratch.Sync()
}

func (f *faultyFile) Close() error {
	return errors.Join(f.disk.next("close"), f.scratch.Close())
}
