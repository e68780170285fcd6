package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/task"
)

// ErrInvalidRecord is wrapped by errors about an invalid record from the store. They do not contain the id of the
// record, which only server and client may know.
var ErrInvalidRecord = errors.New("the store of tasks has returned a record that is not valid")

// CheckRecord checks that r, which the store has returned, is a record of the task id, and that messages with its JSON
// will be valid. It modifies r for that: it removes line breaks from JSON and cuts the message to maxText bytes.
func CheckRecord(r *task.Record, id string, maxText int) error {
	if err := CheckRecordHead(r, maxText); err != nil {
		return err
	}
	hasEnded := r.Status == task.Completed || r.Status == task.Failed
	switch {
	case r.ID != id:
		return fmt.Errorf("%w: it is that of another task", ErrInvalidRecord)
	case hasEnded != (len(r.Result)+len(r.Error) > 0):
		return fmt.Errorf("%w: it is %s, and has no outcome or another one", ErrInvalidRecord, r.Status)
	}
	err := cmp.Or(makeOneLine(&r.Result), makeOneLine(&r.Error))
	r.Inputs = slices.Clone(r.Inputs) // the slice may be shared with the store
	for i := range r.Inputs {
		in := &r.Inputs[i]
		if len(in.Request) == 0 {
			return fmt.Errorf("%w: it has an input without a request to the client", ErrInvalidRecord)
		}
		err = cmp.Or(err, makeOneLine(&in.Request), makeOneLine(&in.Answer))
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalidRecord, err)
	}
	return nil
}

// CheckRecordHead is [CheckRecord] for the fields of a record in a list of tasks; see [task.Record.Head].
func CheckRecordHead(r *task.Record, maxText int) error {
	switch r.Status {
	case task.Working, task.InputRequired, task.Completed, task.Failed, task.Cancelled:
	default:
		return fmt.Errorf("%w: its status is %s", ErrInvalidRecord, Quote(string(r.Status)))
	}
	r.Message = Cut(r.Message, maxText)
	return nil
}

// makeOneLine removes the line breaks of JSON, which would end the message in which it is sent. It sets empty text to nil,
// because some stores do not distinguish the two, and returns an error if the text is not valid JSON.
func makeOneLine(text *json.RawMessage) error {
	if len(*text) == 0 {
		*text = nil
		return nil
	}
	if err := rawjson.Valid(*text, 0); err != nil {
		return err
	}
	if !bytes.ContainsAny(*text, "\r\n") {
		*text = bytes.Trim(*text, " \t")
		return nil
	}
	var compact bytes.Buffer
	err := json.Compact(&compact, *text)
	*text = compact.Bytes()
	return err
}
