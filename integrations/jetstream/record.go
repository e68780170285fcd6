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

// format is the version of the format of records. A version that adds anything that an older one would lose when it changes
// a record, or not understand, has another number.
const format = 1

// message is a record as it is stored.
type message struct {
	Format int         `json:"mcptool_task"`
	Record task.Record `json:"record"` // without Result, Error, Inputs and most of Durable if there are parts
	Parts  *partSet    `json:"parts,omitempty"`
}

// entry is a record that was read, or is to be stored.
type entry struct {
	subject  subject
	sequence uint64 // in the stream; 0 if it is new
	record   task.Record
	parts    *partSet
}

// encode returns the JSON of a value, with texts as they are.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, fmt.Errorf("%w: %w", task.ErrInvalid, err)
	}
	return b.Bytes(), nil
}

// decodeStrictly decodes JSON. A member that is unknown is an error: who stores the value again would lose it.
func decodeStrictly(data []byte, value any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(value); err != nil {
		return fmt.Errorf("%w: %w", ErrRecord, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: there is something after the JSON", ErrRecord)
	}
	return nil
}

// decodeRecord decodes a stored message, and checks that it is what its subject says.
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

// validEpoch reports whether a task can have this number of its run, and another one after it.
func validEpoch(d *task.Durable) bool { return d == nil || d.Epoch > 0 && d.Epoch < math.MaxUint64 }

// head returns what is stored of the record with this hash of its id, without its parts; [task.ErrNotFound] if there is none
// or its time has passed.
func (s *store) head(ctx context.Context, id string) (*entry, error) {
	e, err := s.kept(ctx, id)
	if err == nil && e.expired() {
		return nil, task.ErrNotFound
	}
	return e, err
}

// size returns about how many bytes of memory the record takes while its parts are read: as JSON and decoded.
func (e *entry) size() int {
	n := e.record.Size()
	if e.parts != nil {
		n += 2 * e.parts.Bytes
	}
	return n
}

// expired reports whether the time of the record has passed, by the clock of this instance.
func (e *entry) expired() bool { return !time.Now().Before(e.record.Expires()) }

// kept is head, but also for a record whose time has passed, which the server has not deleted yet.
func (s *store) kept(ctx context.Context, id string) (*entry, error) {
	raw, err := retry(ctx, s.link, func(ctx context.Context) (*natsjs.RawStreamMsg, error) {
		return s.streams.records.GetLastMsgForSubject(ctx, s.names.byID(id))
	})
	if err != nil {
		return nil, err
	}
	return s.decodeRecord(raw)
}

// read returns the complete record of this id. If its version is not greater than seen, read does not read its parts.
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
		last = e.sequence // the parts are deleted when the record changes: it may just have done so
	}
}

// write stores a record if the one of its id is still that with the sequence number of e, or if there is none and that is 0.
// Otherwise the error is [task.ErrConflict]. Large members are stored before it.
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
			s.deleteParts(ctx, e.subject.id, e.parts) // after other errors the record may be stored
		}
		return err
	}
	e.sequence = ack.Sequence
	s.deleteParts(ctx, e.subject.id, replaced)
	s.changed(e.subject.id)
	return nil
}

// messageTTL returns the TTL of a message of the record, counted from now by the clock of the server. The server counts in
// seconds, so that it is at least the rest of the record's TTL: that a record ends in time is checked when it is read.
func messageTTL(r *task.Record) time.Duration {
	const longest = 100 * 365 * 24 * time.Hour // the server would overflow with much more
	left := time.Until(r.Expires())
	return min(max(left, 0), longest).Truncate(time.Second) + 2*time.Second
}
