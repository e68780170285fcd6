package main

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A judge checks responses.
type judge struct {
	asked     *questions
	rev       revision
	templates [][]byte // per question, a correct response from its id on
	heads     [][]byte // text before the id
}

func newJudge(q *questions, rev revision) *judge {
	n := len(q.all)
	return &judge{asked: q, rev: rev, templates: make([][]byte, n), heads: make([][]byte, n)}
}

var idMember = []byte(`"id":`)

// judge returns the id of a response, and an error if the response is wrong for the question
// with this id. It decodes the first response to each question. Later ones are correct if they
// are equal byte for byte except for the id; otherwise it decodes them as well.
func (j *judge) judge(answer []byte) (id int64, err error) {
	at := bytes.Index(answer, idMember)
	if at < 0 {
		return 0, fmt.Errorf("an answer without id: %s", cut(answer))
	}
	at += len(idMember)
	end := at
	for end < len(answer) && answer[end] >= '0' && answer[end] <= '9' {
		id = id*10 + int64(answer[end]-'0')
		end++
	}
	n := id % int64(len(j.asked.all))
	if j.templates[n] != nil && bytes.Equal(answer[end:], j.templates[n]) && bytes.Equal(answer[:at], j.heads[n]) {
		return id, nil
	}
	if err := j.read(answer, id); err != nil {
		return id, fmt.Errorf("%w: %s", err, cut(answer))
	}
	j.heads[n], j.templates[n] = bytes.Clone(answer[:at]), bytes.Clone(answer[end:])
	return id, nil
}

// invalidParams is a valid JSON-RPC error code for invalid arguments.
const invalidParams = -32602

// read decodes and checks a response.
func (j *judge) read(answer []byte, id int64) error {
	var got struct {
		ID     int64
		Error  *struct{ Code int }
		Result struct {
			Structured json.RawMessage `json:"structuredContent"`
			Content    []struct{ Type, Text string }
			IsError    bool
			ResultType string
		}
	}
	if err := json.Unmarshal(answer, &got); err != nil {
		return err
	}
	structured, _ := canonical(got.Result.Structured) // nil if there is none
	want := j.asked.of(id).answer
	switch result := got.Result; {
	case got.ID != id:
		return fmt.Errorf("the id is %d, not %d", got.ID, id)
	case j.asked.invalid:
		if got.Error != nil && got.Error.Code != invalidParams || got.Error == nil && !result.IsError {
			return fmt.Errorf("the arguments are not refused")
		}
		return nil
	case got.Error != nil || result.IsError:
		return fmt.Errorf("the call failed")
	case !bytes.Equal(structured, want):
		return fmt.Errorf("structuredContent is not what %s returns", j.asked.tool)
	case len(result.Content) != 1 || result.Content[0].Type != "text":
		return fmt.Errorf("content is not one block of text")
	case j.rev == modern && result.ResultType != "complete":
		return fmt.Errorf("the result is not said to be complete")
	}
	text, err := canonical([]byte(got.Result.Content[0].Text))
	if err != nil {
		return fmt.Errorf("the text block: %w", err)
	}
	if !bytes.Equal(text, want) {
		return fmt.Errorf("the text block is not what %s returns", j.asked.tool)
	}
	return nil
}

// canonical returns JSON with sorted members and without white space.
func canonical(text []byte) ([]byte, error) {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// cut truncates a message for an error.
func cut(message []byte) []byte { return message[:min(len(message), 300)] }
