package goclients_test

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// The checked parts of results.
type (
	promptResult struct {
		Messages []struct {
			Role    string `json:"role"`
			Content struct {
				Type     string         `json:"type"`
				Text     string         `json:"text"`
				Data     []byte         `json:"data"`
				URI      string         `json:"uri"`
				MIMEType string         `json:"mimeType"`
				Resource resourceMember `json:"resource"`
			} `json:"content"`
		} `json:"messages"`
	}
	resourceMember struct {
		URI      string  `json:"uri"`
		MIMEType string  `json:"mimeType"`
		Text     *string `json:"text"`
		Blob     *string `json:"blob"`
	}
	readResult struct {
		Contents []resourceMember `json:"contents"`
	}
	completeResult struct {
		Completion struct {
			Values []string `json:"values"`
		} `json:"completion"`
	}
)

func TestPrompts(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, c client, _ events) {
		t.Helper()
		items, pages, err := c.Prompts(t.Context())
		if err != nil || pages != 1 || len(items) != 2 || items[0].Name != "plain" || items[1].Name != "review" {
			t.Fatalf("prompts: %v on %d pages, %v", items, pages, err)
		}
		if got := items[1].Arguments; len(got) != 3 || got[0].Name != "id" || !got[0].Required || got[1].Required {
			t.Errorf("arguments: %v", got)
		}
		result, err := c.Prompt(t.Context(), "review", map[string]string{"id": "beta", "words": "7"})
		if err != nil {
			t.Fatal(err)
		}
		got, err := convert[promptResult](result)
		if err != nil {
			t.Fatal(err)
		}
		checkMessages(t, c.Revision(), got)
		if _, err := c.Prompt(t.Context(), "plain", nil); err != nil {
			t.Errorf("without arguments: %v", err)
		}
		for name, arguments := range map[string]map[string]string{
			"review": {"id": "beta", "words": "none"}, "plain": {"other": "x"}, "no_such_prompt": {},
		} {
			if _, err := c.Prompt(t.Context(), name, arguments); c.Code(err) != -32602 || !strings.Contains(err.Error(), name) && name == "no_such_prompt" {
				t.Errorf("%s %v: %v", name, arguments, err)
			}
		}
	})
}

// checkMessages checks the messages of the prompt review.
func checkMessages(t *testing.T, revision string, got promptResult) {
	t.Helper()
	if len(got.Messages) != 5 {
		t.Fatalf("messages: %+v", got)
	}
	want := []string{"text", "image", "audio", "resource", "resource_link"}
	if revision < "2025-03-26" {
		want[2] = "resource"
	}
	if revision < "2025-06-18" {
		want[4] = "text"
	}
	for i, message := range got.Messages {
		role := "user"
		if i == 1 {
			role = "assistant"
		}
		if message.Content.Type != want[i] || message.Role != role {
			t.Errorf("message %d: %+v", i, message)
		}
	}
	if text := got.Messages[0].Content.Text; text != "Review beta, friendly, in 7 words." {
		t.Errorf("text: %q", text)
	}
	if !slices.Equal(got.Messages[1].Content.Data, blob) {
		t.Errorf("image: %q", got.Messages[1].Content.Data)
	}
	if r := got.Messages[3].Content.Resource; r.URI != textURI || r.Text == nil || *r.Text != "text" {
		t.Errorf("resource: %+v", r)
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	tests := []struct {
		ref              reference
		argument, prefix string
		others           map[string]string
		want             string
	}{
		{reference{prompt: "review"}, "id", "", nil, strings.Join(noteIDs, " ")},
		{reference{prompt: "review"}, "id", "g", nil, "gamma größe"},
		{reference{prompt: "review"}, "id", "g", map[string]string{"tone": "strict"}, "strictly-g"},
		{reference{prompt: "review"}, "tone", "s", nil, "strict"},
		{reference{template: noteURI + "{?full}"}, "id", "d", nil, "delta"},
		{reference{template: noteURI + "{?full}"}, "full", "t", nil, "true"},
	}
	eachClient(t, func(t *testing.T, c client, _ events) {
		t.Helper()
		for _, test := range tests {
			result, err := c.Complete(t.Context(), test.ref, test.argument, test.prefix, test.others)
			if err != nil {
				t.Errorf("%+v: %v", test, err)
				continue
			}
			want := test.want
			if got, err := convert[completeResult](result); err != nil || strings.Join(got.Completion.Values, " ") != want {
				t.Errorf("%+v: %v %v", test, got, err)
			}
		}
		for _, ref := range []reference{{prompt: "no_such_prompt"}, {template: "mem:///no/such/{template}"}} {
			if result, err := c.Complete(t.Context(), ref, "id", "", nil); c.Code(err) != -32602 {
				t.Errorf("%v: %v %v", ref, result, err)
			}
		}
	})
}

func TestResources(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, c client, _ events) {
		t.Helper()
		var want []string
		for _, id := range noteIDs {
			want = append(want, noteLink(id))
		}
		want = append(want, textURI, blobURI, jsonURI, counterURI, fileURI)
		slices.Sort(want)
		items, pages, err := c.Resources(t.Context())
		if err != nil || pages < len(want)/pageSize {
			t.Errorf("%d pages, %v", pages, err)
		}
		var got []string
		for _, item := range items {
			got = append(got, item.URI)
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("resources %q, want %q", got, want)
		}
		templates, _, err := c.Templates(t.Context())
		if err != nil || len(templates) != 2 || templates[1].URITemplate != noteURI+"{?full}" {
			t.Errorf("templates: %v %v", templates, err)
		}
		for _, uri := range got { // listed resources can be read
			if _, err := c.Read(t.Context(), uri); err != nil {
				t.Errorf("%s: %v", uri, err)
			}
		}
	})
}

func TestRead(t *testing.T) {
	t.Parallel()
	tests := []struct{ uri, mimeType, text string }{
		{textURI, "text/plain", "Größe"},
		{blobURI, "image/png", ""},
		{jsonURI, "application/json", `{"id":"one","full":false}`},
		{noteLink("größe"), "application/json", `{"id":"größe","full":false}`},
		{noteLink("beta") + "?full=true", "application/json", `{"id":"beta","full":true}`},
		{fileURI, "text/markdown", "# Review\n"},
		{"docs:///style", "text/plain", "review.md\n"},
	}
	missing := []string{
		"mem:///none", noteLink("none"), "docs:///none.md", "docs:///../server_test.go", "other:///x", "no uri",
	}
	eachClient(t, func(t *testing.T, c client, _ events) {
		t.Helper()
		for _, test := range tests {
			result, err := c.Read(t.Context(), test.uri)
			if err != nil {
				t.Errorf("%s: %v", test.uri, err)
				continue
			}
			got, err := convert[readResult](result)
			if err != nil || len(got.Contents) != 1 {
				t.Errorf("%s: %v %v", test.uri, got, err)
				continue
			}
			r := got.Contents[0]
			if r.URI != test.uri || r.MIMEType != test.mimeType {
				t.Errorf("%s: %+v", test.uri, r)
			}
			switch {
			case test.text == "":
				if r.Text != nil || r.Blob == nil || *r.Blob != base64.StdEncoding.EncodeToString(blob) {
					t.Errorf("%s: %+v", test.uri, r)
				}
			case r.Text == nil || *r.Text != test.text || r.Blob != nil:
				data, _ := json.Marshal(r)
				t.Errorf("%s: %s", test.uri, data)
			}
		}
		code := -32002
		if c.Revision() >= modern {
			code = -32602
		}
		for _, uri := range missing {
			if result, err := c.Read(t.Context(), uri); c.Code(err) != code {
				t.Errorf("%s: %v %v", uri, result, err)
			}
		}
		if result, err := c.Read(t.Context(), noteLink("beta")+"?full=perhaps"); c.Code(err) != -32602 {
			t.Errorf("a variable of the wrong type: %v %v", result, err)
		}
	})
}
