package mcptool_test

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/mcptool"
)

const pngURI = "data:image/png;base64,iVBORw0KGgo="

func TestGoodContent(t *testing.T) {
	t.Parallel()
	size, half := int64(0), 0.5
	notes := &mcptool.Annotations{Audience: []mcptool.Role{"user", "assistant"}, Priority: &half, LastModified: time.Unix(0, 0)}
	for _, test := range []struct {
		reason string
		block  mcptool.Content
	}{
		{"text", mcptool.Text{Text: "t", Annotations: notes}},
		{"empty text", mcptool.Text{}},
		{"image", mcptool.Image{Data: []byte{1}, MIMEType: "image/png", Annotations: notes}},
		{"parameters of a media type", mcptool.Image{Data: []byte{1}, MIMEType: "image/svg+xml; charset=utf-8"}},
		{"media type in upper case", mcptool.Image{Data: []byte{1}, MIMEType: "IMAGE/png"}},
		{"audio", mcptool.Audio{Data: []byte{1}, MIMEType: "audio/wav"}},
		{"link with all fields", mcptool.ResourceLink{
			URI: "https://example.com/a?b=c#d", Name: "a", Title: "A", Description: "d", MIMEType: "text/csv", Size: &size,
			Icons: []mcptool.Icon{{Src: pngURI}}, Annotations: notes,
		}},
		{"link with a custom scheme", mcptool.ResourceLink{URI: "climate:lisbon", Name: "lisbon"}},
		{"dots that are not path segments", mcptool.ResourceLink{URI: "file:///a../..b/...", Name: "a"}},
		{"dot segment in an https URL", mcptool.ResourceLink{URI: "https://example.com/a/../b", Name: "b"}},
		{"text resource", mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "file:///a", Text: "t", MIMEType: "text/plain"}}},
		{"empty text resource", mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "file:///a"}}},
		{"binary resource", mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "file:///a%20b", Blob: []byte{0}}}},
		{"empty binary resource", mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "file:///a", Blob: []byte{}}}},
	} {
		result, err := answering(t, &mcptool.Result{Content: []mcptool.Content{test.block}}).Call(t.Context(), nil)
		if err != nil {
			t.Errorf("%s is refused: %v", test.reason, err)
			continue
		}
		if diff := cmp.Diff([]mcptool.Content{test.block}, result.Content); diff != "" {
			t.Errorf("%s changed (-want +got):\n%s", test.reason, diff)
		}
	}
}

func TestContentMistakes(t *testing.T) {
	t.Parallel()
	nan, above, minus := math.NaN(), 1.01, int64(-1)
	for _, test := range []struct {
		reason string
		block  mcptool.Content
		want   []string
	}{
		{"nil block", nil, []string{"content[0]: the block is nil"}},
		{"nil pointer", (*mcptool.Text)(nil), []string{"content[0]: the block is nil"}},
		{"empty image", mcptool.Image{}, []string{"content[0].data: it is empty", "content[0].mimeType: it is required"}},
		{"image with an audio type", mcptool.Image{Data: []byte{1}, MIMEType: "audio/wav"}, []string{`content[0].mimeType: "audio/wav" does not start with "image/"`}},
		{"a media type without a subtype", mcptool.Image{Data: []byte{1}, MIMEType: "image/"}, []string{`"image/" is not a media type`}},
		{"audio with an image type", mcptool.Audio{Data: []byte{1}, MIMEType: "image/png"}, []string{`content[0].mimeType: "image/png" does not start with "audio/"`}},
		{"an extension for a media type", mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "a:b", MIMEType: "csv"}}, []string{`content[0].resource.mimeType: "csv" is not a media type`}},
		{"empty link", mcptool.ResourceLink{}, []string{"content[0].uri: it is required", "content[0].name: it is required"}},
		{"T-CONT-10 a relative link", mcptool.ResourceLink{URI: "/a/b", Name: "n"}, []string{`content[0].uri: "/a/b" is not absolute`}},
		{"T-CONT-10 a space in a URI", mcptool.ResourceLink{URI: "file:///a b", Name: "n"}, []string{`content[0].uri: "file:///a b" contains ' '`}},
		{"T-CONT-10 a letter outside ASCII in a URI", mcptool.ResourceLink{URI: "file:///größe", Name: "n"}, []string{`contains 'ö'`}},
		{"escaped space in a host", mcptool.ResourceLink{URI: "https://a%20b/", Name: "n"}, []string{`"https://a%20b/" is not a URI`}},
		{"dot segment after an escaped host", mcptool.ResourceLink{URI: "docs://a%20b/../c", Name: "n"}, []string{`contains ".."`}},
		{"invalid host", mcptool.ResourceLink{URI: "docs://[::1/a%20b", Name: "n"}, []string{"is not a URI"}},
		{"T-CONT-10 a URI that does not parse", mcptool.ResourceLink{URI: "file:///%zz", Name: "n"}, []string{`"file:///%zz" is not a URI`}},
		{"a URI without a host", mcptool.ResourceLink{URI: "https:///a", Name: "n"}, []string{`content[0].uri: "https:///a" has no host`}},
		{"T-SEC-10 dot segments", mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "file:///data/../../etc/passwd"}}, []string{`content[0].resource.uri: the path of "file:///data/../../etc/passwd" contains ".."`}},
		{"T-SEC-10 escaped dot segments", mcptool.ResourceLink{URI: "file:///data/%2e%2E%2fetc", Name: "n"}, []string{`contains ".."`}},
		{"T-SEC-10 dot segments with a backslash", mcptool.ResourceLink{URI: "file:///c:/data/..%5cetc", Name: "n"}, []string{`contains ".."`}},
		{"T-SEC-10 dot segments with a custom scheme", mcptool.ResourceLink{URI: "notes:a/../../b", Name: "n"}, []string{`contains ".."`}},
		{"negative size", mcptool.ResourceLink{URI: "a:b", Name: "n", Size: &minus}, []string{"content[0].size: -1 is negative"}},
		{"names that are not UTF-8", mcptool.ResourceLink{URI: "a:b", Name: "\xff", Title: "\xff", Description: "\xff"}, []string{"content[0].name:", "content[0].title:", "content[0].description:"}},
		{"a bad icon", mcptool.ResourceLink{URI: "a:b", Name: "n", Icons: []mcptool.Icon{{Src: pngURI}, {Src: "http://a/b"}}}, []string{"content[0].icons[1].src:"}},
		{"T-CONT-04 text and blob at once", mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "a:b", Text: "t", Blob: []byte{}}}, []string{"content[0].resource: a resource must be text or a blob"}},
		{"T-CONT-04 a resource without a URI", mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{Text: "t"}}, []string{"content[0].resource.uri: it is required"}},
		{"T-CONT-08 unknown role in the audience", mcptool.Text{Annotations: &mcptool.Annotations{Audience: []mcptool.Role{"user", "system"}}}, []string{`content[0].annotations.audience[1]: "system" is not a role`}},
		{"T-CONT-08 a priority above 1", mcptool.Text{Annotations: &mcptool.Annotations{Priority: &above}}, []string{"content[0].annotations.priority: 1.01 is not from 0 to 1"}},
		{"T-CONT-08 NaN priority", mcptool.Text{Annotations: &mcptool.Annotations{Priority: &nan}}, []string{"annotations.priority: NaN"}},
		{"a year of five digits", mcptool.Text{Annotations: &mcptool.Annotations{LastModified: time.Date(12345, 1, 1, 0, 0, 0, 0, time.UTC)}}, []string{"annotations.lastModified: year 12345"}},
		{"a bad key of _meta", mcptool.Text{Meta: map[string]any{"a b": 1}}, []string{`content[0]._meta: key "a b" has a name`}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			err := outputError(t, answering(t, &mcptool.Result{Content: []mcptool.Content{test.block}}))
			lines := strings.Split(err.Err.Error(), "\n")
			if len(lines) != len(test.want) {
				t.Fatalf("got %d findings, want %d: %v", len(lines), len(test.want), err)
			}
			for i, want := range test.want {
				if !strings.Contains(lines[i], want) {
					t.Errorf("finding %d is %q, want %q", i, lines[i], want)
				}
			}
		})
	}
}

func TestContentPassesThrough(t *testing.T) {
	t.Parallel()
	type own struct {
		mcptool.Text
		Extra int `json:"extra"`
	}
	text := mcptool.Text{Text: "t"}
	call := func(tool *mcptool.Tool) *mcptool.Result {
		t.Helper()
		result, err := tool.Call(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if schema := tool.OutputSchema(); schema != nil {
			t.Errorf("the tool publishes %s for content", schema.JSON())
		}
		return result
	}
	one := &mcptool.Result{Content: []mcptool.Content{text}}
	two := &mcptool.Result{Content: []mcptool.Content{text, text}}
	none := &mcptool.Result{}
	for _, test := range []struct {
		reason    string
		got, want *mcptool.Result
	}{
		{"interface", call(mustNew(t, func(context.Context, None) (mcptool.Content, error) { return text, nil }, mcptool.Name("n"))), one},
		{"nil interface", call(mustNew(t, func(context.Context, None) (mcptool.Content, error) { return nil, nil }, mcptool.Name("n"))), none},
		{"pointer in the interface", call(mustNew(t, func(context.Context, None) (mcptool.Content, error) { return &text, nil }, mcptool.Name("n"))), one},
		{"a struct that embeds a block, in the interface", call(mustNew(t, func(context.Context, None) (mcptool.Content, error) { return own{Text: text}, nil }, mcptool.Name("n"))), one},
		{"concrete type", call(mustNew(t, func(context.Context, None) (mcptool.Text, error) { return text, nil }, mcptool.Name("n"))), one},
		{"pointer to a concrete type", call(mustNew(t, func(context.Context, None) (*mcptool.Text, error) { return &text, nil }, mcptool.Name("n"))), one},
		{"nil pointer to a concrete type", call(mustNew(t, func(context.Context, None) (*mcptool.Text, error) { return nil, nil }, mcptool.Name("n"))), none},
		{"slice", call(mustNew(t, func(context.Context, None) ([]mcptool.Content, error) { return []mcptool.Content{text, &text}, nil }, mcptool.Name("n"))), two},
		{"nil slice", call(mustNew(t, func(context.Context, None) ([]mcptool.Content, error) { return nil, nil }, mcptool.Name("n"))), none},
		{"slice of a concrete type", call(mustNew(t, func(context.Context, None) ([]mcptool.Text, error) { return []mcptool.Text{text, text}, nil }, mcptool.Name("n"))), two},
		{"slice of pointers", call(mustNew(t, func(context.Context, None) ([]*mcptool.Text, error) { return []*mcptool.Text{&text}, nil }, mcptool.Name("n"))), one},
		{"result", call(answering(t, two)), two},
		{"nil result", call(answering(t, nil)), none},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

func TestContentIsMadeUTF8(t *testing.T) {
	t.Parallel()
	given := []mcptool.Content{mcptool.Text{Text: "a\xffb"}, mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "a:b", Text: "\xfe"}}}
	kept := slices.Clone(given)
	result, err := answering(t, &mcptool.Result{Content: given}).Call(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []mcptool.Content{mcptool.Text{Text: "a\uFFFDb"}, mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "a:b", Text: "\uFFFD"}}}
	if diff := cmp.Diff(want, result.Content); diff != "" {
		t.Errorf("invalid UTF-8 is replaced (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(kept, given); diff != "" {
		t.Errorf("the blocks returned by the func changed (-want +got):\n%s", diff)
	}
}

func TestMetaIsEncodedOnce(t *testing.T) {
	t.Parallel()
	meta := map[string]any{"com.example/n": []string(nil), "trace.id": 1 << 60}
	want := map[string]any{"com.example/n": json.RawMessage("[]"), "trace.id": json.RawMessage("1152921504606846976")}
	tool := answering(t, &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Meta: meta}}, Meta: meta}, mcptool.Meta(meta))
	result, err := tool.Call(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for where, got := range map[string]any{"the result": result.Meta, "the tool": tool.Info().Meta} {
		if diff := cmp.Diff(any(want), got); diff != "" {
			t.Errorf("_meta of %s (-want +got):\n%s", where, diff)
		}
	}
	if diff := cmp.Diff(mcptool.Content(mcptool.Text{Meta: want}), result.Content[0]); diff != "" {
		t.Errorf("_meta of the block (-want +got):\n%s", diff)
	}
}
