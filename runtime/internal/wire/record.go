package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/task"
)

// ErrInvalidRecord is wrapped by errors about an invalid record from the store. They do not contain the id of the
// record, which only server and client may know.
var ErrInvalidRecord = errors.New("the store of tasks has returned a record that is not valid")

// CheckRecord checks that r, which the store has returned, is a valid record of the task id, because its content is
// sent to clients. It modifies r for that: it removes line breaks from JSON and cuts messages to maxText bytes.
func CheckRecord(r *task.Record, id string, maxText int) error {
	if err := CheckRecordHead(r, maxText); err != nil {
		return err
	}
	if r.ID != id {
		return fmt.Errorf("%w: it is that of another task", ErrInvalidRecord)
	}
	r.Result, r.Error = orNil(r.Result), orNil(r.Error)
	completed, failed := r.Status == task.Completed, r.Status == task.Failed
	switch {
	case completed && r.Result == nil, failed && r.Result == nil && r.Error == nil:
		return fmt.Errorf("%w: it is %s, and says no outcome", ErrInvalidRecord, r.Status)
	case !completed && !failed && r.Result != nil, !failed && r.Error != nil, r.Result != nil && r.Error != nil:
		return fmt.Errorf("%w: it is %s, and says another outcome", ErrInvalidRecord, r.Status)
	}
	var err error
	if r.Result != nil {
		if r.Result, err = checkObject("result", r.Result); err != nil {
			return err
		}
	}
	if r.Error != nil {
		if r.Error, err = checkError(r.Error, maxText); err != nil {
			return err
		}
	}
	return checkInputs(r)
}

// CheckRecordHead is [CheckRecord] for the fields of a record in a list of tasks; see [task.Record.Head].
func CheckRecordHead(r *task.Record, maxText int) error {
	switch r.Status {
	case task.Working, task.InputRequired, task.Completed, task.Failed, task.Cancelled:
	default:
		return fmt.Errorf("%w: its status is %s", ErrInvalidRecord, Quote(string(r.Status)))
	}
	switch {
	case r.ID == "":
		return fmt.Errorf("%w: it has no id", ErrInvalidRecord)
	case r.Version == 0:
		return fmt.Errorf("%w: it has no version", ErrInvalidRecord)
	case r.TTL <= 0:
		return fmt.Errorf("%w: its TTL is %v", ErrInvalidRecord, r.TTL)
	case r.Created.IsZero(), !isWritable(r.Created), !isWritable(r.Updated):
		return fmt.Errorf("%w: it has been created at %v and changed at %v", ErrInvalidRecord, r.Created, r.Updated)
	}
	r.Message = Cut(r.Message, maxText)
	return nil
}

// isWritable reports whether the year of t can be written with four digits, as ISO 8601 requires.
func isWritable(t time.Time) bool {
	year := t.UTC().Year()
	return year >= 0 && year <= 9999
}

// checkInputs checks the requests of a tool to the client, and the answers.
func checkInputs(r *task.Record) error {
	if len(r.Inputs) == 0 {
		return nil
	}
	inputs := make([]task.Input, len(r.Inputs)) // a copy: the slice may be shared with the store
	for i, in := range r.Inputs {
		in.Answer = orNil(in.Answer)
		var err error
		if in.Request, err = checkObject("request to the client", in.Request); err != nil {
			return err
		}
		if in.Answer != nil {
			if in.Answer, err = checkJSON("answer of the client", in.Answer); err != nil {
				return err
			}
		}
		if in.Key == "" || rawjson.KindOf(Member(in.Request, "method")) != rawjson.String {
			return fmt.Errorf("%w: it has a request to the client without a key or a method", ErrInvalidRecord)
		}
		inputs[i] = in
	}
	r.Inputs = inputs
	return nil
}

// checkError checks a JSON-RPC error object, and cuts its message to maxText bytes.
func checkError(raw json.RawMessage, maxText int) (json.RawMessage, error) {
	raw, err := checkObject("error", raw)
	if err != nil {
		return nil, err
	}
	rawCode, message := Member(raw, "code"), Member(raw, "message")
	number, err := strconv.Atoi(string(rawCode))
	if err != nil || rawjson.KindOf(message) != rawjson.String {
		return nil, fmt.Errorf("%w: its error has no code or no message", ErrInvalidRecord)
	}
	if said := TextOf(message); len(said) > maxText {
		e := Error{Code: Code(number), Message: Cut(said, maxText), Data: Member(raw, "data")}
		return e.Append(nil), nil
	}
	return raw, nil
}

// checkObject is checkJSON for a JSON object.
func checkObject(what string, raw json.RawMessage) (json.RawMessage, error) {
	raw, err := checkJSON(what, raw)
	if err == nil && rawjson.KindOf(raw) != rawjson.Object {
		err = fmt.Errorf("%w: its %s is no JSON object", ErrInvalidRecord, what)
	}
	return raw, err
}

// checkJSON returns raw without line breaks, which would end the message in which it is sent. It returns an error if
// raw is not valid JSON.
func checkJSON(what string, raw json.RawMessage) (json.RawMessage, error) {
	if err := rawjson.Valid(raw, 0); err != nil {
		return nil, fmt.Errorf("%w: its %s: %w", ErrInvalidRecord, what, err)
	}
	if bytes.IndexByte(raw, '\n') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return bytes.Trim(raw, " \t"), nil
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return nil, fmt.Errorf("%w: its %s: %w", ErrInvalidRecord, what, err)
	}
	return compact.Bytes(), nil
}

// orNil returns raw, or nil if raw is empty, because some stores do not distinguish the two.
func orNil(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	return raw
}
