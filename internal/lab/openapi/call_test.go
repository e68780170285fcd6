package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

const petstore = `
openapi: 3.0.3
info: {title: Pets, version: "1"}
servers: [{url: https://pets.example.com/v1}]
security: [{key: []}]
paths:
  /pets/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: integer, minimum: 1}}
    get:
      parameters:
        - {name: fields, in: query, schema: {type: string, pattern: "^[a-z]+$"}}
      responses:
        "200":
          description: a pet
          content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}
    put:
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}
      responses:
        "204": {description: done}
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
  schemas:
    Pet:
      type: object
      required: [name]
      properties:
        id: {type: integer, format: int64, readOnly: true}
        name: {type: string, minLength: 1}
        price: {type: number, nullable: true}
        tags: {type: array, items: {type: string}}
        parent: {$ref: "#/components/schemas/Pet"}
        password: {type: string, writeOnly: true}
`

type pet struct {
	ID     int64    "json:\"id,omitzero\""
	Name   string   "json:\"name\""
	Price  *float64 "json:\"price,omitzero\""
	Tags   []string "json:\"tags,omitzero\""
	Parent *pet     "json:\"parent,omitzero\""
}

// A nameless is a pet of which something is lost.
type nameless struct {
	ID int64 "json:\"id,omitzero\""
}

type getPetIn struct {
	ID     int64   "json:\"id\" jsonschema:\"minimum=1\""
	Fields *string "json:\"fields,omitzero\" jsonschema:\"pattern=^[a-z]+$\""
}

type putPetIn struct {
	ID   int64  "json:\"id\" jsonschema:\"minimum=1\""
	Name string "json:\"name\" jsonschema:\"minLength=1\""
}

// A wrapper is a server with tools as bench import would write them, and with mistakes.
type wrapper struct {
	base string
	key  string
}

func (w *wrapper) send(ctx context.Context, method, path string, body []byte, result any) error {
	r, err := http.NewRequestWithContext(ctx, method, w.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("X-Key", w.key)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	data, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		return mcptool.Errorf("%s", response.Status)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(data, result)
}

// get is GET /pets/{id} with some of the arguments.
func get[Out any](w *wrapper, change func(in *getPetIn)) func(context.Context, getPetIn) (Out, error) {
	return func(ctx context.Context, in getPetIn) (out Out, err error) {
		change(&in)
		path := fmt.Sprintf("/pets/%d", in.ID)
		if in.Fields != nil {
			path += "?fields=" + url.QueryEscape(*in.Fields)
		}
		return out, w.send(ctx, http.MethodGet, path, nil, &out)
	}
}

func (w *wrapper) put(ctx context.Context, in putPetIn) (string, error) {
	body, err := json.Marshal(map[string]string{"name": in.Name})
	if err != nil {
		return "", err
	}
	return "done", w.send(ctx, http.MethodPut, fmt.Sprintf("/pets/%d", in.ID), body, nil)
}

func register[In, Out any](t *testing.T, r *mcptool.Registry, name string, fn func(context.Context, In) (Out, error)) {
	t.Helper()
	tool, err := mcptool.New(fn, mcptool.Name(name))
	if err := errors.Join(err, r.Add(tool)); err != nil {
		t.Fatal(err)
	}
}

// TestCalls checks that correct tools have no failures, and that each mistake of a tool is found.
func TestCalls(t *testing.T) {
	path := filepath.Join(t.TempDir(), "openapi.yaml")
	if err := os.WriteFile(path, []byte(petstore), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := newAPI(path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if n := a.operations(); n != 2 {
		t.Errorf("got %d operations, want 2", n)
	}
	w := &wrapper{base: a.URL + basePath, key: secret}
	locked := &wrapper{base: a.URL + basePath}
	lost := &wrapper{base: a.URL + "/elsewhere", key: secret}
	same := func(*getPetIn) {}
	registry := new(mcptool.Registry)
	register(t, registry, "get_pet", get[pet](w, same))
	register(t, registry, "put_pet", w.put)
	register(t, registry, "without_key", get[pet](locked, same))
	register(t, registry, "wrong_path", get[pet](lost, same))
	register(t, registry, "wrong_id", get[pet](w, func(in *getPetIn) { in.ID = -in.ID }))
	register(t, registry, "drops_fields", get[pet](w, func(in *getPetIn) { in.Fields = nil }))
	register(t, registry, "narrow_result", get[nameless](w, same))
	register(t, registry, "no_request", func(context.Context, getPetIn) (string, error) { return "", nil })
	register(t, registry, "fails", func(ctx context.Context, in getPetIn) (pet, error) {
		_, err := get[pet](w, same)(ctx, in)
		return pet{}, errors.Join(mcptool.Errorf("failed"), err)
	})

	handler, err := streamhttp.NewHandler(&runtime.Server{Tools: registry})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	session, err := client.Dial(t.Context(), client.Target{URL: server.URL}, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }() // errors on close do not matter
	c := &caller{document: "pets", api: a, client: session, calls: 4}
	if err := c.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := map[string]failureKind{
		"without_key": badRequest, "wrong_path": badRequest, "wrong_id": badRequest, "drops_fields": lostArgument,
		"narrow_result": lostInResult, "no_request": noRequest, "fails": errorResult,
	}
	got := map[string][]failureKind{}
	for _, f := range c.failures {
		got[f.tool] = append(got[f.tool], f.kind)
		if want[f.tool] == "" {
			t.Errorf("a failure of a correct tool: %s", f.String())
		}
	}
	for name, kind := range want {
		if !slices.Contains(got[name], kind) {
			t.Errorf("%s: got failures %q, want %q", name, got[name], kind)
		}
	}
	if len(c.operations) != 2 {
		t.Errorf("got valid requests for %v, want both operations", c.operations)
	}
}

// TestOtherHost checks that a request for another host that arrives as at a proxy is not valid.
func TestOtherHost(t *testing.T) {
	a := &api{}
	for _, r := range []*http.Request{
		httptest.NewRequest(http.MethodGet, "http://api.example.com/pets/1", nil),
		httptest.NewRequest(http.MethodConnect, "api.example.com:443", nil),
	} {
		a.expect(true, 0)
		a.ServeHTTP(httptest.NewRecorder(), r)
		if all := a.take(); len(all) != 1 || all[0].invalid == nil || !strings.Contains(all[0].invalid.Error(), "api.example.com") {
			t.Errorf("%s: got %v, want an invalid request that names the host", r.Method, all)
		}
	}
}

// TestMissing checks the comparison of a response with a result.
func TestMissing(t *testing.T) {
	for _, test := range []struct {
		name, sent, got string
		want            string
	}{
		{"the same", `{"a":[1,{"b":"c"}]}`, `{"a":[1.0,{"b":"c"}]}`, ""},
		{"a member more", `{"a":1}`, `{"a":1,"b":2}`, ""},
		{"a null less", `{"a":1,"b":null}`, `{"a":1}`, ""},
		{"a null that became a number", `{"a":null}`, `{"a":0}`, "/a: <nil> became 0"},
		{"a member less", `{"a":{"b":1}}`, `{"a":{}}`, "/a/b: 1 became <nil>"},
		{"an item less", `[1,2]`, `[1]`, ": not a list of the same length"},
		{"another number", `{"a":9007199254740993}`, `{"a":9007199254740992}`, "/a: 9007199254740993 became 9007199254740992"},
		{"a number as a string", `{"a":1}`, `{"a":"1"}`, "/a: 1 became 1"},
	} {
		var sent, got any
		if err := errors.Join(decode([]byte(test.sent), &sent), decode([]byte(test.got), &got)); err != nil {
			t.Fatal(err)
		}
		if lost := strings.Join(missing(sent, got, ""), ", "); lost != test.want {
			t.Errorf("%s: got %q, want %q", test.name, lost, test.want)
		}
	}
}

// TestLacks checks that arguments are found wherever a request may have them.
func TestLacks(t *testing.T) {
	e := &exchange{
		url:    "/base/pets/a%2Fb?limit=31&filter%5Bname%5D=x+y&n=1.5",
		header: http.Header{"Cookie": {"session=c%20d"}, "X-Id": {"7"}},
		body:   []byte(`{"text":"line\nbreak \u00e9","size":1e3}`),
	}
	for _, args := range []string{
		`{"id":"a/b"}`, `{"filter":{"name":"x y"}}`, `{"n":15e-1}`, `{"session":"c d","x_id":7}`, `{"text":"line\nbreak é","size":1000}`,
		`{"data":"eCB5"}`,
	} {
		if lost := e.lacks(json.RawMessage(args)); len(lost) > 0 {
			t.Errorf("%s: the request seems to lack %q", args, lost)
		}
	}
	if lost := e.lacks(json.RawMessage(`{"id":"a/b","other":[1.5,"pet",3]}`)); strings.Join(lost, ", ") != `/other/1: "pet", /other/2: 3` {
		t.Errorf("got %q, want the string and the number that are only parts of others", lost)
	}
}
