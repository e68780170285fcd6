package jetstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/mcptool-go/mcptool/task"
)

// format is the version of the record format. It must change with any addition that an older version would lose when it
// changes a record, or would not understand.
const format = 1

// message is a record as stored.
type message struct {
	Format int         `json:"mcptool_task"`
	Record task.Record `json:"record"` // without Result, Error, Inputs and most of Durable if there are parts
	Parts  *partSet    `json:"parts,omitempty"`
}

// entry is a record that was read, or is to be stored.
type entry struct {
	subject  subject
	sequence uint64 // in the stream; 0 for a new record
	record   task.Record
	parts    *partSet
}

// encode returns the JSON of a value without HTML escaping.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, fmt.Errorf("%w: %w", task.ErrInvalid, err)
	}
	return b.Bytes(), nil
}

// decodeStrictly decodes JSON. An unknown member is an error, since it would be lost when the value is stored again.
func decodeStrictly(data []byte, value any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(value); err != nil {
		return fmt.Errorf("%w: %w", ErrRecord, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: unexpected data after the JSON", ErrRecord)
	}
	return nil
}

// decodeRecord decodes a stored message, and checks that it matches its subject.
func (s *store) decodeRecord(raw *natsjs.RawStreamMsg) (*entry, error) {
	at, ok := s.names.parse(raw.Subject)
	if !ok {
		return nil, fmt.Errorf("%w: its subject is %q", ErrRecord, raw.Subject)
	}
	var version struct {
		Format int `json:"mcptool_task"`
	}
	if err := json.Unmarshal(raw.Data, &version); err != nil {
		return nil, fmt.Errorf("%w: message %d: %w", ErrRecord, raw.Sequence, err)
	}
	if version.Format != format {
		return nil, fmt.Errorf("%w: message %d has format %d, this version of the program reads format %d", ErrRecord, raw.Sequence, version.Format, format)
	}
	var m message
	if err := decodeStrictly(raw.Data, &m); err != nil {
		return nil, fmt.Errorf("message %d: %w", raw.Sequence, err)
	}
	e := &entry{subject: at, sequence: raw.Sequence, record: m.Record, parts: m.Parts}
	if r := &m.Record; r.Version == 0 || r.Version == math.MaxUint64 || r.TTL <= 0 || !validEpoch(r.Durable) || subjectOf(r, at.instance) != at || !m.Parts.valid() {
		return nil, fmt.Errorf("%w: message %d is not the record of its subject", ErrRecord, raw.Sequence)
	}
	return e, nil
}

// validEpoch reports whether the epoch of a task is valid and can be increased.
func validEpoch(d *task.Durable) bool { return d == nil || d.Epoch > 0 && d.Epoch < math.MaxUint64 }

// head returns the stored record with this hash of its id, without its parts; [task.ErrNotFound] if there is none or it
// has expired.
func (s *store) head(ctx context.Context, id string) (*entry, error) {
	e, err := s.kept(ctx, id)
	if err == nil && e.expired() {
		return nil, task.ErrNotFound
	}
	return e, err
}

// size returns the approximate memory of the record in bytes while its parts are read: as JSON and decoded.
func (e *entry) size() int {
	n := e.record.Size()
	if e.parts != nil {
		n += 2 * e.parts.Bytes
	}
	return n
}

// expired reports whether the record has expired by the clock of this instance.
func (e *entry) expired() bool { return !time.Now().Before(e.record.Expires()) }

// kept is like head, but includes expired records that the server has not deleted yet.
func (s *store) kept(ctx context.Context, id string) (*entry, error) {
	raw, err := retry(ctx, s.link, func(ctx context.Context) (*natsjs.RawStreamMsg, error) {
		return s.streams.records.GetLastMsgForSubject(ctx, s.names.byID(id))
	})
	if err != nil {
		return nil, err
	}
	return s.decodeRecord(raw)
}

// read returns the complete record with this id. If its version is not greater than seen, read does not read its parts.
func (s *store) read(ctx context.Context, id string, seen uint64) (*entry, error) {
	for last := uint64(0); ; {
		e, err := s.head(ctx, id)
		if err != nil || e.record.Version <= seen {
			return e, err
		}
		if err := task.Reserve(ctx, e.size()); err != nil || e.parts == nil {
			return e, err
		}
		err = s.readParts(ctx, e)
		if err == nil {
			return e, nil
		}
		if !errors.Is(err, ErrRecord) || e.sequence == last {
			return nil, err
		}
		last = e.sequence // the record, and with it the parts, may have been replaced concurrently
	}
}

// write stores a record if the sequence number of the stored one is still that of e, or if there is none and that is 0.
// Otherwise the error is [task.ErrConflict]. Large members are stored first.
func (s *store) write(ctx context.Context, e *entry) error {
	replaced := e.parts
	data, err := s.split(ctx, e)
	if err != nil {
		return err
	}
	ack, err := request(ctx, s.link, func(ctx context.Context) (*natsjs.PubAck, error) {
		return s.link.js.PublishMsg(ctx, &nats.Msg{Subject: s.names.record(&e.subject), Data: data},
			natsjs.WithExpectLastSequenceForSubject(e.sequence, s.names.byID(e.subject.id)), natsjs.WithMsgTTL(messageTTL(&e.record)))
	})
	if err != nil {
		if errors.Is(err, task.ErrConflict) || errors.Is(err, task.ErrFull) {
			s.deleteParts(ctx, e.subject.id, e.parts) // after other errors the record may have been stored
		}
		return err
	}
	e.sequence = ack.Sequence
	s.deleteParts(ctx, e.subject.id, replaced)
	s.changed(e.subject.id)
	return nil
}

// messageTTL returns the TTL of a message of the record, counted from now by the clock of the server. The server counts
// in seconds, so this is at least the remaining TTL of the record; reads check the exact expiry.
func messageTTL(r *task.Record) time.Duration {
	const longest = 100 * 365 * 24 * time.Hour // far larger values overflow in the server
	left := time.Until(r.Expires())
	return min(max(left, 0), longest).Truncate(time.Second) + 2*time.Second
}
