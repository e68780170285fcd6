package boltstore

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mcptool-go/mcptool/task"
)

// The file has two buckets: one identifies the format, the other contains the records in pieces, by numbers that are
// never reused.
var (
	aboutBucket = []byte("about")
	tasksBucket = []byte("tasks")
	formatKey   = []byte("mcptool tasks")
)

// format is the version of this format: a value is a checksum of its number and the rest, followed by the record as
// JSON. bbolt pages have no checksums.
const format = "2"

const sumSize = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encode returns the value of a record.
func encode(number uint64, r *task.Record) ([]byte, error) {
	var b bytes.Buffer
	b.Write(make([]byte, sumSize))
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return nil, err
	}
	value := b.Bytes()
	binary.BigEndian.PutUint32(value, sum(number, value))
	return value, nil
}

// decode decodes a value. The record does not share memory with it.
func decode(number uint64, value []byte) (task.Record, error) {
	var r task.Record
	if err := intact(number, value); err != nil {
		return r, err
	}
	if err := json.Unmarshal(value[sumSize:], &r); err != nil {
		return r, fmt.Errorf("%w: record %x: %w", ErrCorrupt, number, err)
	}
	return r, nil
}

// intact returns an error if a value differs from the data written.
func intact(number uint64, value []byte) error {
	if len(value) < sumSize || binary.BigEndian.Uint32(value) != sum(number, value) {
		return fmt.Errorf("%w: record %x does not match its checksum", ErrCorrupt, number)
	}
	return nil
}

func sum(number uint64, value []byte) uint32 {
	return crc32.Update(crc32.Checksum(binary.BigEndian.AppendUint64(nil, number), castagnoli), castagnoli, value[sumSize:])
}

// found is the contents of a newly opened file.
type found struct {
	blank   bool     // a new file
	kept    []stored // ended, or durable
	expired []uint64 // keys
}

// read reads and checks the whole file without changing it.
func read(db *bbolt.DB, file *os.File) (all found, err error) {
	defer func() {
		if damage := recover(); damage != nil {
			err = corrupt(damage)
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return all, err
	}
	now := time.Now()
	err = db.View(func(tx *bbolt.Tx) error {
		if tx.Size() > info.Size() {
			return fmt.Errorf("%w: it has %d bytes of %d", ErrCorrupt, info.Size(), tx.Size())
		}
		about, tasks := tx.Bucket(aboutBucket), tx.Bucket(tasksBucket)
		if first, _ := tx.Cursor().First(); first == nil {
			all.blank = true
			return nil
		}
		if about == nil || tasks == nil || keys(tx.Cursor()) != 2 || keys(about.Cursor()) != 1 {
			return fmt.Errorf("%w: it has other buckets", ErrCorrupt)
		}
		if got := about.Get(formatKey); string(got) != format {
			return fmt.Errorf("%w: it has format %q, and this version of boltstore reads and writes %q", ErrCorrupt, got, format)
		}
		return eachRecord(tasks, func(number uint64, value []byte) error {
			r, err := decode(number, value)
			if err != nil {
				return err
			}
			one := stored{key: number, size: int64(len(value)), record: r}
			if !now.Before(r.Expires()) {
				all.expired = append(all.expired, number)
				return nil
			}
			if r.Durable == nil {
				abandon(&one.record)
			}
			if one.record.Status.Ended() {
				shorten(&one.record)
			}
			all.kept = append(all.kept, one)
			return nil
		})
	})
	return all, err
}

// keys returns the number of keys.
func keys(c *bbolt.Cursor) (n int) {
	for key, _ := c.First(); key != nil; key, _ = c.Next() {
		n++
	}
	return n
}

// settleBatch is the number of records deleted in one transaction when a file is opened.
const settleBatch = 256

// settle creates the buckets of a new file, and deletes expired records. It leaves those in all.expired that it cannot
// delete, for example because the disk is full.
func settle(d *disk, all *found) error {
	if all.blank {
		return d.update(create)
	}
	var left []uint64
	for some := range slices.Chunk(all.expired, settleBatch) {
		batch := make([]write, len(some))
		for i, key := range some {
			batch[i].key = key
		}
		switch err := d.write(batch); {
		case errors.Is(err, ErrCorrupt):
			return err
		case err != nil:
			left = append(left, some...)
		}
	}
	all.expired = left
	return nil
}

// create creates the buckets of a new file.
func create(tx *bbolt.Tx) error {
	about, err := tx.CreateBucket(aboutBucket)
	if err != nil {
		return err
	}
	if _, err := tx.CreateBucket(tasksBucket); err != nil {
		return err
	}
	return about.Put(formatKey, []byte(format))
}

// abandon ends a task of an earlier process that is not durable. The end is not written, because the disk may be full:
// it is the same whenever the record is read, with the time of the last change in the file.
func abandon(r *task.Record) {
	if updated := r.Updated; r.Abandon() {
		r.Updated = updated
		r.Version++
	}
}

// shorten removes the parts of an ended record that are not kept in memory.
func shorten(r *task.Record) { r.Result, r.Error, r.Inputs = nil, nil, nil }
