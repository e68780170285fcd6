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

// endRoom is the number of spaces after the JSON of a record that has not ended. It reserves room for the error that
// [task.Record.Abandon] adds when the file is opened, since the disk may then be full.
const endRoom = 256

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
	if !r.Status.Ended() {
		b.Write(bytes.Repeat([]byte{' '}, endRoom))
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
	blank     bool     // a new file
	kept      []stored // ended tasks, and durable ones that have not ended
	abandoned []stored // other tasks, with their end added
	expired   []uint64 // keys
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
			switch {
			case !now.Before(r.Expires()):
				all.expired = append(all.expired, number)
			case r.Status.Ended():
				shorten(&one.record)
				all.kept = append(all.kept, one)
			case r.Durable != nil:
				all.kept = append(all.kept, one)
			default:
				one.record.Abandon()
				one.record.Version++
				all.abandoned = append(all.abandoned, one)
			}
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

// settleBatch is the number of records per write when a file is opened.
const settleBatch = 256

// settle writes the changes for opening a file, and returns the resulting records. It deletes expired records first,
// which makes room on a full disk.
func settle(d *disk, all found) ([]stored, error) {
	records := all.kept
	if all.blank {
		if err := d.update(create); err != nil {
			return nil, err
		}
	}
	batch := make([]write, 0, len(all.expired)+len(all.abandoned))
	for _, key := range all.expired {
		batch = append(batch, write{key: key})
	}
	for _, one := range all.abandoned {
		value, err := encode(one.key, &one.record)
		if err != nil {
			return nil, err
		}
		batch = append(batch, write{key: one.key, value: value, replaces: one.size})
		one.size = int64(len(value))
		shorten(&one.record)
		records = append(records, one)
	}
	var errs error
	for some := range slices.Chunk(batch, settleBatch) {
		d.writeBatch(some, func(_ []write, err error) { errs = errors.Join(errs, err) })
	}
	return records, errs
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

// shorten removes the parts of an ended record that are not kept in memory.
func shorten(r *task.Record) { r.Result, r.Error, r.Inputs = nil, nil, nil }
