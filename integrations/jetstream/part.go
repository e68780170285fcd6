package jetstream

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/mcptool-go/mcptool/task"
)

const (
	// inlineBytes is the size above which the large members of a record are stored in separate messages, which lists do
	// not read. Smaller records are read before memory is reserved for them.
	inlineBytes = 16 << 10
	// partBytes is the maximum size of a part, half of the default message limit of NATS.
	partBytes = 512 << 10
	// maxRecordBytes is the maximum size of Result, Error, Inputs and Durable of one record together.
	maxRecordBytes = 64 << 20
	// messageRoom is the space for the parts of a message other than data, such as headers.
	messageRoom = 4 << 10
)

// partSet identifies the parts with the large members of one version of a record. They are stored before the record
// that refers to them, under a unique name, and are immutable.
type partSet struct {
	Name   string `json:"name"`
	Count  int    `json:"count"`
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

func (p *partSet) valid() bool {
	return p == nil || p.Name != "" && p.Count > 0 && p.Count <= p.Bytes && p.Bytes <= maxRecordBytes
}

// body has the large members of a record.
type body struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
	Inputs []task.Input    `json:"inputs,omitempty"`

	Durable *task.Durable `json:"durable,omitempty"`
}

// split returns the message of a record. If the record is large, split stores the large members first and sets e.parts.
func (s *store) split(ctx context.Context, e *entry) ([]byte, error) {
	m := message{Format: format, Record: e.record}
	e.parts = nil
	most := s.link.nc.MaxPayload() - messageRoom
	data, err := encode(m)
	if err != nil || int64(len(data)) <= min(inlineBytes, most) {
		return data, err
	}
	large, err := encode(body{Result: e.record.Result, Error: e.record.Error, Inputs: e.record.Inputs, Durable: e.record.Durable})
	if err != nil {
		return nil, err
	}
	if len(large) > maxRecordBytes {
		return nil, fmt.Errorf("%w: the record has %d bytes, but the limit is %d", task.ErrFull, len(large), maxRecordBytes)
	}
	m.Record.Result, m.Record.Error, m.Record.Inputs, m.Record.Durable = nil, nil, nil, briefly(e.record.Durable)
	sum := sha256.Sum256(large)
	size := int(min(partBytes, most))
	m.Parts = &partSet{Name: rand.Text(), Count: (len(large) + size - 1) / size, Bytes: len(large), SHA256: hex.EncodeToString(sum[:])}
	if data, err = encode(m); err != nil {
		return nil, err
	}
	if int64(len(data)) > most {
		return nil, fmt.Errorf("%w: without result, error, inputs and arguments the record has %d bytes, and the server accepts %d", task.ErrFull, len(data), most)
	}
	if err := s.writeParts(ctx, e, m.Parts.Name, large, size); err != nil {
		s.deleteParts(ctx, e.subject.id, m.Parts)
		return nil, err
	}
	e.parts = m.Parts
	return data, nil
}

func (s *store) writeParts(ctx context.Context, e *entry, set string, data []byte, size int) error {
	ttl := messageTTL(&e.record)
	for number := 0; len(data) > 0; number++ {
		part := data[:min(size, len(data))]
		data = data[len(part):]
		_, err := request(ctx, s.link, func(ctx context.Context) (*natsjs.PubAck, error) {
			return s.link.js.PublishMsg(ctx, &nats.Msg{Subject: s.names.part(e.subject.id, set, number), Data: part}, natsjs.WithMsgTTL(ttl))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readParts completes the record of e. The error is [ErrRecord] if a part is missing or differs from the data written.
func (s *store) readParts(ctx context.Context, e *entry) error {
	data := make([]byte, 0, e.parts.Bytes)
	for number := range e.parts.Count {
		raw, err := retry(ctx, s.link, func(ctx context.Context) (*natsjs.RawStreamMsg, error) {
			return s.streams.parts.GetLastMsgForSubject(ctx, s.names.part(e.subject.id, e.parts.Name, number))
		})
		if errors.Is(err, task.ErrNotFound) {
			return fmt.Errorf("%w: part %d of %d is missing", ErrRecord, number+1, e.parts.Count)
		}
		if err != nil {
			return err
		}
		if len(data)+len(raw.Data) > e.parts.Bytes {
			return fmt.Errorf("%w: its parts are longer than %d bytes", ErrRecord, e.parts.Bytes)
		}
		data = append(data, raw.Data...)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != e.parts.SHA256 {
		return fmt.Errorf("%w: its parts differ from what was written", ErrRecord)
	}
	var large body
	if err := decodeStrictly(data, &large); err != nil {
		return err
	}
	e.record.Result, e.record.Error, e.record.Inputs, e.record.Durable = large.Result, large.Error, large.Inputs, large.Durable
	return nil
}

// briefly returns the part of a Durable that stays in a record with parts: the fields needed to change the record.
func briefly(d *task.Durable) *task.Durable {
	if d == nil {
		return nil
	}
	return &task.Durable{Epoch: d.Epoch, Owner: d.Owner, Attempts: d.Attempts, GivenUp: d.GivenUp}
}

// deleteParts deletes unreferenced parts. If that fails, they are deleted when the record's TTL has passed.
func (s *store) deleteParts(ctx context.Context, id string, p *partSet) {
	if p == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_, _ = request(ctx, s.link, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, s.streams.parts.Purge(ctx, natsjs.WithPurgeSubject(s.names.partSet(id, p.Name)))
	})
}
