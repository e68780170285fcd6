package boltstore

import (
	"os"

	"go.etcd.io/bbolt"
)

// reserve is room on the disk for deletions. bbolt copies the pages that a transaction changes, also where it deletes, so
// that on a full disk it could delete nothing, ever. The reserve is that part of the file behind the pages in use which has
// been written, and so has blocks on the disk. What adds to the file must leave it as large as a deletion may need;
// deletions take of it, and what they free serves the next ones.
type reserve struct {
	end     int64 // the file has blocks up to here
	largest int64 // the size of the largest record, at least
}

const (
	// reserveLeast is enough to delete small records: a page of each level of the tree, and of the list of free pages.
	reserveLeast = 64 << 10
	// reserveRecords is how many records there is room for in reserve. A deletion copies what is left of a page with several
	// that are longer than it, and its neighbor that it is merged with, five at most; one may be taken by what is added.
	reserveRecords = 6
	// reserveFreelist is which part of the file the list of its free pages can take, twice: 8 of 4096 bytes each.
	reserveFreelist = 256
	// reserveBlock is how much is written at one time.
	reserveBlock = 64 << 10
	// reserveStep is how much more than needed is written, so that it is not at every transaction: an eighth of the file,
	// up to this.
	reserveStep = 1 << 20
	// writeOverhead is what the pages of the tree add to a record, above its size.
	writeOverhead = 16 << 10
)

// secure makes sure that there will be enough in reserve when the batch has been written. Its error is that of the disk, which
// is full; the batch must not be written then.
func (r *reserve) secure(file *os.File, tx *bbolt.Tx, batch []write) error {
	var adds int64
	for _, w := range batch {
		if w.value != nil {
			adds += int64(len(w.value)) + writeOverhead
			r.largest = max(r.largest, int64(len(w.value)))
		}
	}
	if adds == 0 {
		return nil
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	used := tx.Size()
	least := used + reserveLeast + reserveRecords*r.largest + used/reserveFreelist
	r.end = min(max(r.end, used), info.Size())
	if err = r.grow(file, used, least+adds); err == nil {
		return nil
	}
	// The disk is full, but pages within the file may be free. Small records fit anywhere among them. A large one needs a run
	// of pages: if there is none it takes of the reserve, and none is written after it, unless most pages are free.
	free := int64(tx.DB().Stats().FreeAlloc)
	areSmall := r.largest <= int64(tx.DB().Info().PageSize)
	switch {
	case areSmall && r.end+free*3/4 >= least+adds,
		r.end >= least && free*3/4 >= adds && len(batch) == 1,
		free/4 >= least-used+adds:
		return nil
	}
	return err
}

// grow writes zeros where there are no pages yet, so that the file has blocks up to least at least.
func (r *reserve) grow(file *os.File, used, least int64) error {
	if r.end >= least {
		return nil
	}
	zeros := make([]byte, reserveBlock)
	for wanted := least + min(used/8, reserveStep); r.end < wanted; {
		n, err := file.WriteAt(zeros, r.end)
		r.end += int64(n)
		switch {
		case err != nil && r.end < least:
			return err
		case err != nil:
			return file.Sync()
		}
	}
	return file.Sync() // as bbolt does when it makes the file longer
}
