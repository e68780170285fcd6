package boltstore

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mcptool-go/mcptool/task"
)

// The file has two buckets: one says what file it is, the other has the records, by numbers that
// are never used twice.
var (
	aboutBucket = []byte("about")
	tasksBucket = []byte("tasks")
	formatKey   = []byte("mcptool tasks")
)

// format is the version of what follows: a value is the sum of its key and the rest, then the
// record as JSON. The sum is there because bbolt has none for its pages.
const format = "1"

const sumSize = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func keyOf(number uint64) []byte { return binary.BigEndian.AppendUint64(nil, number) }

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
	binary.BigEndian.PutUint32(value, sum(keyOf(number), value))
	return value, nil
}

// decode returns the record of a value, which it keeps nothing of.
func decode(key, value []byte) (task.Record, error) {
	var r task.Record
	if len(key) != len(keyOf(0)) || len(value) < sumSize || binary.BigEndian.Uint32(value) != sum(key, value) {
		return r, fmt.Errorf("%w: record %x is not what was written", ErrCorrupt, key)
	}
	if err := json.Unmarshal(value[sumSize:], &r); err != nil {
		return r, fmt.Errorf("%w: record %x: %w", ErrCorrupt, key, err)
	}
	return r, nil
}

func sum(key, value []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, value[sumSize:])
}

// found is what is in a file that is opened.
type found struct {
	blank     bool     // it is a new file
	kept      []stored // what has ended
	abandoned []stored // what has not, with its end
	expired   [][]byte // keys
}

// read reads and checks all that is in the file, and changes nothing.
func read(db *bbolt.DB, file *os.File) (all found, err error) {
	defer func() {
		if damage := recover(); damage != nil {
			err = fmt.Errorf("%w: %v", ErrCorrupt, damage)
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
		if about == nil || tasks == nil {
			return fmt.Errorf("%w: it has other buckets", ErrCorrupt)
		}
		if got := about.Get(formatKey); string(got) != format {
			return fmt.Errorf("%w: it has format %q, want %q", ErrCorrupt, got, format)
		}
		return tasks.ForEach(func(key, value []byte) error {
			r, err := decode(key, value)
			if err != nil {
				return err
			}
			if !bytes.Equal(tasks.Get(key), value) { // which goes another way through the pages
				return fmt.Errorf("%w: record %x is not found by its key", ErrCorrupt, key)
			}
			one := stored{key: binary.BigEndian.Uint64(key), size: int64(len(value)), record: r}
			switch {
			case !now.Before(r.Expires()):
				all.expired = append(all.expired, bytes.Clone(key))
			case one.record.Abandon():
				one.record.Version++
				all.abandoned = append(all.abandoned, one)
			default:
				shorten(&one.record)
				all.kept = append(all.kept, one)
			}
			return nil
		})
	})
	return all, err
}

// settle writes what opening a file changes in it, and returns what is in it then. What has expired goes first: on a full
// disk that makes room for the rest.
func settle(db *bbolt.DB, all found) ([]stored, error) {
	records := all.kept
	if len(all.expired) > 0 {
		if err := db.Update(func(tx *bbolt.Tx) error { return deleteAll(tx.Bucket(tasksBucket), all.expired) }); err != nil {
			return nil, err
		}
	}
	if !all.blank && len(all.abandoned) == 0 {
		return records, nil
	}
	err := db.Update(func(tx *bbolt.Tx) error {
		about, errAbout := tx.CreateBucketIfNotExists(aboutBucket)
		tasks, errTasks := tx.CreateBucketIfNotExists(tasksBucket)
		if err := errors.Join(errAbout, errTasks); err != nil {
			return err
		}
		if err := about.Put(formatKey, []byte(format)); err != nil {
			return err
		}
		for _, one := range all.abandoned {
			value, err := encode(one.key, &one.record)
			if err != nil {
				return err
			}
			if err := tasks.Put(keyOf(one.key), value); err != nil {
				return err
			}
			one.size = int64(len(value))
			shorten(&one.record)
			records = append(records, one)
		}
		return nil
	})
	return records, err
}

func deleteAll(tasks *bbolt.Bucket, keys [][]byte) error {
	for _, key := range keys {
		if err := tasks.Delete(key); err != nil {
			return err
		}
	}
	return nil
}

// shorten leaves of a record that has ended what is kept in memory.
func shorten(r *task.Record) { r.Result, r.Error, r.Inputs = nil, nil, nil }
