package boltstore

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"go.etcd.io/bbolt"
)

// A value is stored in pieces, with the record number and the piece number as the key. bbolt would store a value longer
// than a page in consecutive pages, which a fragmented file may not have, even if most pages are free. A page holds
// four pieces, so bbolt never needs more than one page.
const (
	pageSize      = 4096
	pageHeader    = 16
	pieceHeader   = 16
	numberSize    = 8
	pieceKeySize  = numberSize + 4
	piecesOfAPage = 4
	pieceSize     = (pageSize-pageHeader)/piecesOfAPage - pieceHeader - pieceKeySize
)

func pieceKey(number uint64, piece int) []byte {
	key := make([]byte, pieceKeySize)
	binary.BigEndian.PutUint64(key, number)
	binary.BigEndian.PutUint32(key[numberSize:], uint32(piece)) //nolint:gosec // of 4 TiB
	return key
}

// apply changes the tree in memory.
func (w *write) apply(tasks *bbolt.Bucket) error {
	tasks.FillPercent = 1 // numbers grow, and a deletion that merges two pages must not turn them into three
	piece := 0
	for rest := w.value; len(rest) > 0; piece++ {
		n := min(len(rest), pieceSize)
		if err := tasks.Put(pieceKey(w.key, piece), rest[:n]); err != nil {
			return err
		}
		rest = rest[n:]
	}
	if w.value != nil && !w.replaces {
		return nil
	}
	c := tasks.Cursor()
	for ; ; piece++ { // remaining pieces of the replaced value
		key := pieceKey(w.key, piece)
		if got, _ := c.Seek(key); !bytes.Equal(got, key) {
			return nil
		}
		if err := c.Delete(); err != nil {
			return err
		}
	}
}

// get returns the value of a record; nil if there is none. size is its approximate length. The value is valid until the
// transaction ends.
func get(tasks *bbolt.Bucket, number uint64, size int64) []byte {
	c := tasks.Cursor()
	key, piece := c.Seek(pieceKey(number, 0))
	if !bytes.Equal(key, pieceKey(number, 0)) {
		return nil
	}
	value := piece[:len(piece):len(piece)]
	for n := 1; ; n++ {
		if key, piece = c.Next(); !bytes.Equal(key, pieceKey(number, n)) {
			return value
		}
		if n == 1 {
			value = append(make([]byte, 0, size), value...)
		}
		value = append(value, piece...)
	}
}

// eachRecord calls f with each record of the file. The value is valid until f returns.
func eachRecord(tasks *bbolt.Bucket, f func(number uint64, value []byte) error) error {
	var value []byte
	c := tasks.Cursor()
	for key, piece := c.First(); key != nil; {
		if len(key) != pieceKeySize {
			return fmt.Errorf("%w: it has the key %x", ErrCorrupt, key)
		}
		number := binary.BigEndian.Uint64(key)
		value = value[:0]
		for n := 0; len(key) >= numberSize && binary.BigEndian.Uint64(key) == number; n++ {
			if !bytes.Equal(key, pieceKey(number, n)) {
				return fmt.Errorf("%w: record %x has no piece %d", ErrCorrupt, number, n)
			}
			if !bytes.Equal(tasks.Get(key), piece) { // Get takes another path through the pages
				return fmt.Errorf("%w: piece %x is not found by its key", ErrCorrupt, key)
			}
			value = append(value, piece...)
			key, piece = c.Next()
		}
		if err := f(number, value); err != nil {
			return err
		}
	}
	return nil
}
