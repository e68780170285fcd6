package oauthproxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

// File is a [Store] in a file, so that logins survive the process. It is for a single process,
// which also has all grants in memory. Create one with [OpenFile]; the zero value is not usable.
type File struct {
	*Memory

	db *bbolt.DB
}

// bucket has all grants as JSON, by their keys.
var bucket = []byte("grants.v1")

// OpenFile opens the file of a store, or creates it with permissions only for the user of the
// process (0600). The limit has the same meaning as for [NewMemory]. A change is on the disk when
// its method returns. If another process has the file open, the error comes after a second.
func OpenFile(path string, limit int) (*File, error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second})
	if err != nil {
		return nil, fmt.Errorf("oauthproxy: open %s: %w", path, err)
	}
	f := &File{Memory: NewMemory(limit), db: db}
	f.persist = f.commit
	err = db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(bucket)
		if err != nil {
			return err
		}
		return b.ForEach(func(key, text []byte) error {
			var g Grant
			err := json.Unmarshal(text, &g)
			f.grants[string(key)] = g
			return err
		})
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("oauthproxy: read %s: %w", path, err), db.Close())
	}
	return f, nil
}

// Close closes the file. After that, changes return an error.
func (f *File) Close() error { return f.db.Close() }

// commit writes a change.
func (f *File) commit(put *Grant, gone []string) error {
	return f.db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucket)
		for _, key := range gone {
			if err := b.Delete([]byte(key)); err != nil {
				return err
			}
		}
		if put == nil {
			return nil
		}
		text, err := json.Marshal(put)
		if err != nil {
			return err
		}
		return b.Put([]byte(put.key()), text)
	})
}
