package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// ajv is a Node process that checks documents with the validator of that name.
type ajv struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	encoder *json.Encoder
}

// startAJV starts the process; NODE_PATH must name a directory with its packages.
func startAJV(ctx context.Context, node, script string) (*ajv, error) {
	a := &ajv{cmd: exec.CommandContext(ctx, node, script)}
	a.cmd.Stderr = os.Stderr
	var err error
	if a.in, err = a.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	a.out, a.encoder = bufio.NewReader(out), json.NewEncoder(a.in)
	return a, a.cmd.Start()
}

// check returns, for each document, why it does not fit the schema, or "".
func (a *ajv) check(schema json.RawMessage, documents [][]byte) ([]string, error) {
	request := struct {
		Schema    json.RawMessage `json:"schema"`
		Documents []string        `json:"documents"`
	}{Schema: schema}
	for _, d := range documents {
		request.Documents = append(request.Documents, string(d))
	}
	if err := a.encoder.Encode(request); err != nil {
		return nil, err
	}
	line, err := a.out.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	var answer struct {
		Error  string   `json:"error"`
		Errors []string `json:"errors"`
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return nil, err
	}
	if answer.Error != "" {
		return nil, errors.New("ajv: " + answer.Error)
	}
	if len(answer.Errors) != len(documents) {
		return nil, fmt.Errorf("ajv answered %d documents of %d", len(answer.Errors), len(documents))
	}
	return answer.Errors, nil
}

// stop ends the process.
func (a *ajv) stop() error { return errors.Join(a.in.Close(), a.cmd.Wait()) }

// compileSanthosh compiles a schema with the validator of santhosh-tekuri.
func compileSanthosh(schema json.RawMessage) (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	if err := c.AddResource("schema.json", document); err != nil {
		return nil, err
	}
	return c.Compile("schema.json")
}

// checkSanthosh is check with that validator.
func checkSanthosh(schema *jsonschema.Schema, documents [][]byte) []string {
	reasons := make([]string, len(documents))
	for i, d := range documents {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(d))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			_, lines, _ := strings.Cut(err.Error(), "\n") // after the name of the schema
			reasons[i] = strings.ReplaceAll(lines, "\n", ";")
		}
	}
	return reasons
}
