package client

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

type pet struct {
	ID    int64   `json:"id"`
	Name  *string `json:"name,omitzero"`
	Owner struct {
		Ages []int `json:"ages"`
	} `json:"owner"`
	Any any `json:"any,omitzero"`
}

// received returns what receive makes of a response, as JSON, or its error.
func received[T any](t *testing.T, code int, body, mediaType string) string {
	t.Helper()
	out, err := receive[T](t.Context(), always(code, body, "Content-Type: "+mediaType).client().request(http.MethodPost, "/"), "application/json")
	if err != nil {
		return err.Error()
	}
	text, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestReceive(t *testing.T) {
	t.Parallel()
	const (
		nothing = "the API accepted the call (200 OK) and returned nothing; do not repeat it"
		wrong   = "the API accepted the call (200 OK), but its response is not as documented: "
		utf8    = "application/json"
	)
	for _, test := range []struct{ name, got, want string }{
		{"unknown members and other capitals", received[pet](t, 201, `{"ID":7,"extra":1}`, utf8), `{"id":7,"owner":{"ages":null}}`},
		{"large numbers", received[pet](t, 200, `{"id":9007199254740993,"any":[12345678901234567890]}`, utf8), `{"id":9007199254740993,"owner":{"ages":null},"any":[12345678901234567890]}`},
		{"other media type", received[int](t, 200, "7", "text/plain"), "7"},
		{"byte order mark", received[int](t, 200, "\ufeff7\n", utf8), "7"},
		{"not UTF-8", received[string](t, 200, "\"\xe9\"", utf8), "\"\ufffd\""},
		{"raw JSON", received[json.RawMessage](t, 200, ` {"a":1.0}`, utf8), `{"a":1.0}`},
		{"empty, struct", received[pet](t, 200, " ", utf8), nothing},
		{"empty, string", received[string](t, 200, "", utf8), nothing},
		{"null, struct", received[pet](t, 200, "null", utf8), nothing},
		{"no content, struct", received[pet](t, 204, "", utf8), strings.Replace(nothing, "200 OK", "204 No Content", 1)},
		{"empty, slice", received[[]pet](t, 200, "", utf8), "null"},
		{"null, map", received[map[string]int](t, 200, "null", utf8), "null"},
		{"empty, any", received[any](t, 200, "", utf8), "null"},
		{"empty, raw JSON", received[json.RawMessage](t, 200, "", utf8), "null"},
		{"page", received[pet](t, 200, "<!doctype html>", "text/html"), "the API answered 200 OK with a page instead of JSON, such as a login page; tell the user to check BASE_URL and the credentials"},
		{"wrong type of a member", received[pet](t, 200, `{"owner":{"ages":["x"]}}`, utf8), wrong + "owner.ages is a JSON string, not a value of type int; do not repeat the call, and tell the user"},
		{"wrong type", received[pet](t, 200, `[]`, utf8), wrong + "it is a JSON array, not a value of type client.pet; do not repeat the call, and tell the user"},
		{"cut", received[pet](t, 200, `{"id":`, utf8), wrong + "unexpected EOF; do not repeat the call, and tell the user"},
		{"not JSON", received[pet](t, 200, `hello`, utf8), wrong + "invalid character 'h' looking for beginning of value; do not repeat the call, and tell the user"},
		{"two values", received[pet](t, 200, `{} {}`, utf8), wrong + "there is more after the JSON value; do not repeat the call, and tell the user"},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, test.got, test.want)
		}
	}
}

func TestReceiveContent(t *testing.T) {
	t.Parallel()
	resource := func(mediaType, data string) mcptool.Content {
		return mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "https://api.example.com/v1/files/a%2Fb", MIMEType: mediaType, Blob: []byte(data)}}
	}
	for _, test := range []struct {
		mediaType, data string
		want            mcptool.Content
	}{
		{"image/png", "x", mcptool.Image{Data: []byte("x"), MIMEType: "image/png"}},
		{"IMAGE/PNG; a=b", "x", mcptool.Image{Data: []byte("x"), MIMEType: "image/png"}},
		{"audio/mpeg", "x", mcptool.Audio{Data: []byte("x"), MIMEType: "audio/mpeg"}},
		{"image/svg+xml", "<svg/>", mcptool.Text{Text: "<svg/>"}},
		{"application/xml", "<a/>", mcptool.Text{Text: "<a/>"}},
		{"application/geo+json", "{}", mcptool.Text{Text: "{}"}},
		{"application/pdf", "%PDF", resource("application/pdf", "%PDF")},
		{"", "\x89PNG\r\n\x1a\n", mcptool.Image{Data: []byte("\x89PNG\r\n\x1a\n"), MIMEType: "image/png"}},
		{"", "\x00\x01", resource("application/octet-stream", "\x00\x01")},
		{"application/pdf", "", mcptool.Text{Text: "The API answered 200 OK."}},
	} {
		r := always(200, test.data, "Content-Type: "+test.mediaType).client().request(http.MethodGet, "/files/{name}")
		r.path("name", "a/b")
		r.query("key", "hunter2")
		got, err := receiveContent(t.Context(), r, "*/*")
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q: got %+v, %v, want %+v", test.mediaType, got, err, test.want)
		}
	}
}

func TestReceiveTextAndNothing(t *testing.T) {
	t.Parallel()
	a := always(202, "line\r\n")
	text, err := receiveText(t.Context(), a.client().request(http.MethodGet, "/"), "text/plain")
	if err != nil || text != "line\r\n" || a.requests[0].Header.Get("Accept") != "text/plain" {
		t.Errorf("got %q, %v", text, err)
	}
	text, err = receiveNothing(t.Context(), a.client().request(http.MethodDelete, "/"))
	if err != nil || text != "The API answered 202 Accepted." || a.requests[1].Header.Get("Accept") != "" {
		t.Errorf("got %q, %v", text, err)
	}
	for name, receive := range map[string]func(*request) error{
		"text":    func(r *request) error { _, err := receiveText(t.Context(), r, ""); return err },
		"content": func(r *request) error { _, err := receiveContent(t.Context(), r, ""); return err },
		"JSON":    func(r *request) error { _, err := receive[pet](t.Context(), r, ""); return err },
	} {
		if err := receive(always(404, "").client().request(http.MethodGet, "/")); err == nil || err.Error() != "the API answered 404 Not Found" {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
