package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// textID is the variable of a template.
type textID struct {
	ID string `json:"id"`
}

// addResource adds a resource to the registry of a server.
func addResource[In, Out any](tb testing.TB, srv *runtime.Server, uri string, fn func(context.Context, In) (Out, error), opts ...mcptool.ResourceOption) {
	tb.Helper()
	r, err := mcptool.NewResource(fn, append(opts, mcptool.Name("resource"), mcptool.URI(uri))...)
	if err == nil {
		err = srv.Tools.Add(r)
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// TestReadBytes: contents are sent unchanged, including characters that are replaced in texts for models (RES-08). They
// are redacted unless they are verbatim.
func TestReadBytes(t *testing.T) {
	t.Parallel()
	text := "a secret\x00\x1b[31m\u202e\r\n\u2028\"\\\x7f\U000e0041é"
	blob := make([]byte, 256)
	for i := range blob {
		blob[i] = byte(i)
	}
	srv := serve(t)
	srv.Redact = func(text string) string { return strings.ReplaceAll(text, "secret", "***") }
	addResource(t, srv, "x://redacted", func(context.Context, noArguments) (string, error) { return text, nil })
	addResource(t, srv, "x://verbatim", func(context.Context, noArguments) (string, error) { return text, nil }, mcptool.Verbatim(true))
	addResource(t, srv, "x://json", func(context.Context, noArguments) (map[string]string, error) {
		return map[string]string{"a": text}, nil
	}, mcptool.Verbatim(true))
	addResource(t, srv, "x://redacted-json", func(context.Context, noArguments) (map[string]string, error) {
		return map[string]string{"a": text}, nil
	})
	addResource(t, srv, "x://blob", func(context.Context, noArguments) ([]byte, error) { return blob, nil })
	object, err := json.Marshal(map[string]string{"a": text})
	if err != nil {
		t.Fatal(err)
	}
	w := open(t, srv)
	for _, test := range []struct{ uri, text, json string }{
		{"x://redacted", strings.ReplaceAll(text, "secret", "***"), ""},
		{"x://verbatim", text, ""},
		{"x://json", "", string(object)},
		{"x://redacted-json", "", strings.ReplaceAll(string(object), "secret", "***")},
		{"x://blob", "", ""},
	} {
		w.send(modern("1", "resources/read", `,"uri":"`+test.uri+`"`))
		var answer struct {
			Result struct {
				Contents []struct {
					URI  string
					Text string
					Blob []byte
				}
			}
		}
		decode(t, w.next(), &answer)
		if len(answer.Result.Contents) != 1 || answer.Result.Contents[0].URI != test.uri {
			t.Fatalf("%s: %+v", test.uri, answer)
		}
		got := answer.Result.Contents[0]
		var is, should any
		switch {
		case test.json != "":
			if json.Unmarshal([]byte(got.Text), &is) != nil || json.Unmarshal([]byte(test.json), &should) != nil || fmt.Sprint(is) != fmt.Sprint(should) {
				t.Errorf("%s: got %q, want %q", test.uri, got.Text, test.json)
			}
		case got.Text != test.text, test.text == "" && string(got.Blob) != string(blob):
			t.Errorf("%s: got %q %x, want %q", test.uri, got.Text, got.Blob, test.text)
		}
	}
}

// TestReadTooLarge: a result beyond the limit is an error, whatever its parts are.
func TestReadTooLarge(t *testing.T) {
	t.Parallel()
	const limit = 10_000
	long := strings.Repeat("x", limit)
	srv := serve(t)
	srv.Limits.MaxResultBytes = limit
	addResource(t, srv, "x://text", func(context.Context, noArguments) (string, error) { return long, nil })
	addResource(t, srv, "x://json", func(context.Context, noArguments) ([]string, error) { return []string{long}, nil })
	addResource(t, srv, "x://blob", func(context.Context, noArguments) ([]byte, error) { return []byte(long[:limit*3/4]), nil })
	addResource(t, srv, "x://parts", func(context.Context, noArguments) ([]mcptool.ResourceContents, error) {
		return []mcptool.ResourceContents{{Text: long[:limit/2]}, {Text: long[:limit/2]}}, nil
	})
	addResource(t, srv, "x://escaped", func(context.Context, noArguments) (string, error) { return strings.Repeat("\x01", limit/2), nil })
	addResource(t, srv, "x://reader", func(context.Context, noArguments) (*endless, error) { return new(endless), nil })
	addResource(t, srv, "x://fits", func(context.Context, noArguments) (string, error) { return long[:limit-300], nil })
	addResource(t, srv, "x://page/{from}", func(context.Context, struct {
		From int `json:"from"`
	},
	) (string, error) {
		return long, nil
	})
	addPrompt(t, srv, "text", func(context.Context, noArguments) (string, error) { return long, nil })
	addPrompt(t, srv, "parts", func(context.Context, noArguments) ([]mcptool.Message, error) {
		part := mcptool.Message{Content: mcptool.Image{Data: []byte(long[:limit/3]), MIMEType: "image/png"}}
		return []mcptool.Message{part, part, part}, nil
	})
	w := open(t, srv)
	for _, uri := range []string{"text", "json", "blob", "parts", "escaped", "reader"} {
		w.send(modern("1", "resources/read", `,"uri":"x://`+uri+`"`))
		w.want(`"error":{"code":-32603,"message":"the result has `, `but the limit is 9.8 KiB"`) // no advice: the URI selects nothing
	}
	w.send(modern("1", "resources/read", `,"uri":"x://page/1"`))
	w.want(`but the limit is 9.8 KiB; read a URI of the template that selects less"`)
	for _, name := range []string{"text", "parts"} {
		w.send(modern("1", "prompts/get", `,"name":"`+name+`"`))
		w.want(`"error":{"code":-32603,"message":"the result has `, `but the limit is 9.8 KiB; use narrower arguments"`)
	}
	w.send(modern("1", "resources/read", `,"uri":"x://fits"`))
	w.want(`"text":"xxx`)
}

// endless is a Reader that never ends.
type endless struct{}

func (*endless) Read(p []byte) (int, error) { return len(p), nil }

// TestHostileURIs: any URI is answered, with at most 4 KiB of it in the error.
func TestHostileURIs(t *testing.T) {
	t.Parallel()
	srv := bothItems(t, func(_ context.Context, in textID) (string, error) { return in.ID, nil })
	addResource(t, srv, "docs://{+path}{?a,b}", func(_ context.Context, in struct {
		Path string `json:"path"`
		A    string `json:"a,omitzero"`
		B    string `json:"b,omitzero"`
	},
	) (string, error) {
		return in.Path, nil
	})
	w := open(t, srv)
	long := strings.Repeat("a/", 1<<19)
	for name, uri := range map[string]string{
		"RES-08 1 MB": "it://" + long, "1 MB of percent": "it://" + strings.Repeat("%", 1<<20), "1 MB of parameters": "docs://x?" + strings.Repeat("a=1&", 1<<18),
		"RES-08 parent directories": "docs://../../etc/passwd", "encoded": "docs://%2e%2e/%2e%2e/etc/passwd", "encoded slash": "it://a%2fb", "NUL": "it://a%00b",
		"backslash": `it://a\\b`, "other scheme": "file:///etc/passwd", "no URI": "it", "control characters": `it://\u0001\u202e`, "replacement character": `it://\ufffd`,
	} {
		w.send(modern("1", "resources/read", `,"uri":"`+uri+`"`))
		answer := w.next()
		if !strings.Contains(answer, `"error":{"code":-32602,"message":"Resource not found","data":{"uri":"`) && !strings.Contains(answer, `"text":`) {
			t.Errorf("%s: got %.300s, want not found or a text", name, answer)
		}
		if strings.Contains(answer, "passwd\"}]") || len(answer) > 1<<20 && strings.Contains(answer, `"error"`) {
			t.Errorf("%s: got the file or a long error: %.300s", name, answer)
		}
		if len(uri) > 1<<19 && strings.Contains(answer, `"error"`) && len(answer) > 5<<10 {
			t.Errorf("%s: the error has %d bytes, want at most 5 KiB", name, len(answer))
		}
	}
	for _, params := range []string{`,"uri":["it://a"]`, `,"uri":{}`, `,"uri":null`, ``, `,"uri":true`} {
		w.send(modern("1", "resources/read", params))
		w.want(`"code":-32602,"message":"params.uri must be a string"`)
	}
}
