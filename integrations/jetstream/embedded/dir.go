package embedded

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// dir is the directory of an embedded server, locked by this process.
type dir struct{ lock *os.File }

// marker is a file that records how the directory is used. A NATS server in a cluster deletes streams of a single
// server in its directory, so it must not be started with one.
type marker struct {
	Format  int    `json:"mcptool_jetstream"`
	Cluster bool   `json:"cluster"`
	Node    string `json:"node"`
}

const (
	format     = 1 // of the marker
	markerFile = "mcptool.json"
	lockFile   = "mcptool.lock"
	dirMode    = 0o700
	fileMode   = 0o600
)

// openDir creates and locks a directory. The error is [ErrDir] or one of the operating system.
func openDir(path, name string, cluster bool) (*dir, error) {
	if err := os.MkdirAll(path, dirMode); err != nil {
		return nil, fmt.Errorf("jetstream: %w", err)
	}
	file, err := lock(filepath.Join(path, lockFile))
	if err != nil {
		return nil, fmt.Errorf("jetstream: %s: %w", path, err)
	}
	d := &dir{lock: file}
	if err := checkMarker(path, marker{Format: format, Cluster: cluster, Node: name}); err != nil {
		return nil, errors.Join(fmt.Errorf("jetstream: %s: %w", path, err), d.close())
	}
	return d, nil
}

// checkMarker compares the marker of the directory with want, and writes it if there is none.
func checkMarker(path string, want marker) error {
	file := filepath.Join(path, markerFile)
	data, err := os.ReadFile(file) //nolint:gosec // the caller chooses the directory
	if errors.Is(err, fs.ErrNotExist) {
		return writeMarker(path, file, want)
	}
	if err != nil {
		return err
	}
	var got marker
	if err := json.Unmarshal(data, &got); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrDir, markerFile, err)
	}
	switch {
	case got.Format != want.Format:
		return fmt.Errorf("%w: %s has format %d, this version of the program reads format %d", ErrDir, markerFile, got.Format, want.Format)
	case got.Cluster && !want.Cluster:
		return fmt.Errorf("%w: it was used by a node of a cluster, and a single server would lose its tasks, which can be read only while most nodes of the cluster run: use another directory", ErrDir)
	case !got.Cluster && want.Cluster:
		return fmt.Errorf("%w: it was used by a single server, and a node of a cluster would lose its tasks: use another directory, and copy the tasks with integrations/copytasks", ErrDir)
	case got.Node != want.Node:
		return fmt.Errorf("%w: it belongs to the node %q, and this is the node %q", ErrDir, got.Node, want.Node)
	}
	return nil
}

// writeMarker writes the marker of a directory without one, unless a NATS server has already used it.
func writeMarker(path, file string, m marker) error {
	if _, err := os.Stat(filepath.Join(path, "jetstream")); err == nil {
		return fmt.Errorf("%w: another NATS server has used it: there is no %s", ErrDir, markerFile)
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	next := file + ".new"
	if err := os.WriteFile(next, data, fileMode); err != nil {
		return err
	}
	return os.Rename(next, file)
}

// tryWrite returns an error if nothing can be stored in the directory.
func (d *dir) tryWrite() error {
	const enough = 1 << 20
	file, err := os.CreateTemp(filepath.Dir(d.lock.Name()), "mcptool-*.try")
	if err != nil {
		return err
	}
	_, err = file.Write(make([]byte, enough))
	return errors.Join(err, file.Sync(), file.Close(), os.Remove(file.Name()))
}

// close releases the directory.
func (d *dir) close() error { return d.lock.Close() }
