package lint

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// list returns a list of decoded entries.
func list[T any](decode func(json.RawMessage) T, entries ...string) []T {
	var all []T
	for _, entry := range entries {
		all = append(all, decode(json.RawMessage(entry)))
	}
	return all
}

// promptWith, resourceWith and templateWith return lists of one good entry with members added or replaced.
func promptWith(members string) Lists {
	return Lists{Prompts: list(client.DecodePrompt, merge(`{"name":"review","description":"Reviews code"}`, members))}
}

func resourceWith(members string) Lists {
	return Lists{Resources: list(client.DecodeResource, merge(`{"uri":"note://7","name":"seven","description":"The seventh note","mimeType":"text/plain","size":5}`, members))}
}

func templateWith(members string) Lists {
	return Lists{Templates: list(client.DecodeResource, merge(`{"uriTemplate":"note://{id}","name":"note","description":"A note by its number"}`, members))}
}

// merge adds the members to an object, replacing those with the same names.
func merge(object, members string) string {
	var m map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal([]byte(object), &m), json.Unmarshal([]byte(members), &m)); err != nil {
		panic(err)
	}
	text, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// reading returns a good resource and the result of reading it.
func reading(listed, contents string) Lists {
	l := resourceWith(listed)
	r := Reading{Resource: l.Resources[0]}
	if contents == "" {
		r.Refusal = "no such resource (JSON-RPC error -32002)"
	} else {
		r.Result = new(client.ReadResult)
		if err := json.Unmarshal([]byte(`{"contents":`+contents+`}`), r.Result); err != nil {
			panic(err)
		}
	}
	l.Read = []Reading{r}
	return l
}

var listCases = []struct {
	name  string
	lists Lists
	want  []string
}{
	{"a good prompt", promptWith(`{"arguments":[{"name":"lang","description":"The language"}]}`), nil},
	{"a prompt that is none", Lists{Prompts: list(client.DecodePrompt, `7`)}, []string{"unreadable, prompt without a name, : it is a number, not an object"}},
	{"a prompt with a bad member", promptWith(`{"title":7}`), []string{`bad-entry, prompt review, : "title" is a number, not a string`}},
	{"a prompt with hidden text", promptWith(`{"title":"a\u202eb"}`), []string{"hidden-text, prompt review, : the character U+202E"}},
	{"a prompt without a name", promptWith(`{"name":""}`), []string{"no-prompt-name, prompt without a name, : a prompt without a name"}},
	{"prompts of one name", Lists{Prompts: list(client.DecodePrompt, `{"name":"a","description":"Says a"}`, `{"name":"a","description":"Says b"}`)}, []string{"same-prompt, prompt a, : the name is there twice"}},
	{"a prompt with a space", promptWith(`{"name":"my review"}`), []string{`bad-prompt-name, prompt my review, : the name holds ' '`}},
	{"a long name of a prompt", promptWith(`{"name":"` + strings.Repeat("a", 65) + `"}`), []string{"long-prompt-name, prompt " + strings.Repeat("a", 65) + ", : the name has 65 characters"}},
	{"a prompt without a description", promptWith(`{"description":" "}`), []string{"no-prompt-description, prompt review, : no description"}},
	{"a prompt that says much", promptWith(`{"description":"` + strings.Repeat("ab ", 200) + `"}`), []string{"long-prompt, prompt review, : the description has 600 characters"}},
	{"arguments", promptWith(`{"arguments":[{"description":"x"},{"name":"a"},{"name":"a","description":"x"}]}`), []string{
		"no-argument-name, prompt review, arguments[0]: an argument without a name", "undescribed-prompt-argument, prompt review, arguments.a: no description", "same-argument, prompt review, arguments.a: the name is there twice",
	}},

	{"a good resource", resourceWith(`{"annotations":{"audience":["user","assistant"],"priority":1,"lastModified":"2026-01-31T12:00:00Z"}}`), nil},
	{"a resource that is none", Lists{Resources: list(client.DecodeResource, `[]`)}, []string{"unreadable, resource without a name, : it is an array, not an object"}},
	{"a resource without a URI", resourceWith(`{"uri":""}`), []string{"no-uri, resource without a name, : no URI"}},
	{"a path", resourceWith(`{"uri":"/etc/passwd"}`), []string{`bad-uri, resource /etc/passwd, : the URI is "/etc/passwd"`}},
	{"a URI with a space", resourceWith(`{"uri":"note://a b"}`), []string{`bad-uri, resource note://a b, : the URI is "note://a b"`}},
	{"a URI with half a percent", resourceWith(`{"uri":"note://a%2"}`), []string{`bad-uri, resource note://a%2, : the URI is "note://a%2"`}},
	{"a resource of the web", resourceWith(`{"uri":"https://e.example/a"}`), []string{"web-uri, resource https://e.example/a, : the scheme is https"}},
	{"a URI twice", Lists{Resources: append(resourceWith(`{}`).Resources, resourceWith(`{}`).Resources...)}, []string{"same-uri, resource note://7, : the URI is there twice"}},
	{"a resource without a name", resourceWith(`{"name":""}`), []string{"no-resource-name, resource note://7, : no name"}},
	{"a resource without a text", resourceWith(`{"description":""}`), []string{"no-resource-text, resource note://7, : neither a title nor a description"}},
	{"a resource with a title", resourceWith(`{"description":"","title":"Seven"}`), nil},
	{"a resource that says much", resourceWith(`{"description":"` + strings.Repeat("ab ", 200) + `"}`), []string{"long-resource, resource note://7, : the description has 600 characters"}},
	{"no MIME type", resourceWith(`{"mimeType":"markdown"}`), []string{`bad-mime, resource note://7, : the MIME type is "markdown"`}},
	{"a MIME type with bad parameters", resourceWith(`{"mimeType":"text/plain; charset"}`), []string{`bad-mime, resource note://7, : the MIME type is "text/plain; charset"`}},
	{"a MIME type with parameters", resourceWith(`{"mimeType":"text/plain; charset=utf-8"}`), nil},
	{"annotations", resourceWith(`{"size":-1,"annotations":{"audience":["model"],"priority":2,"lastModified":"yesterday"}}`), []string{
		`bad-annotation, resource note://7, : the audience is "model", neither user nor assistant`, "bad-annotation, resource note://7, : the priority is 2, not from 0 to 1",
		`bad-annotation, resource note://7, : lastModified is "yesterday", not a time as in 2026-01-31T12:00:00Z`, "bad-annotation, resource note://7, : the size is -1",
	}},
	{"a view", resourceWith(`{"uri":"ui://chart/view.html","mimeType":"text/html;profile=mcp-app"}`), nil},
	{"a view with a space", resourceWith(`{"uri":"ui://chart/view.html","mimeType":"text/html; profile=mcp-app"}`), []string{`view-mime, resource ui://chart/view.html, : the MIME type is "text/html; profile=mcp-app"`}},
	{"a view without a MIME type", resourceWith(`{"uri":"ui://chart/view.html","mimeType":""}`), []string{`view-mime, resource ui://chart/view.html, : the MIME type is ""`}},
	{"a view of a tool", Lists{Tools: list(client.ReadTool, `{"name":"look_up","description":"Looks up an order","inputSchema":{"type":"object"},"annotations":{"destructiveHint":false,"readOnlyHint":true},"_meta":{"ui":{"resourceUri":"https://e.example"},"ui/resourceUri":"file:///x"}}`)}, []string{
		`view-uri, look_up, _meta.ui.resourceUri: the URI is "https://e.example"`, `view-uri, look_up, _meta[ui/resourceUri]: the URI is "file:///x"`,
	}},

	{"a good template", templateWith(`{"uriTemplate":"note://{region}/{id}{?all,some}"}`), nil},
	{"a template that is none", Lists{Templates: list(client.DecodeResource, `"x"`)}, []string{"unreadable, template without a name, : it is a string, not an object"}},
	{"no template", templateWith(`{"uriTemplate":""}`), []string{"no-uri, template without a name, : no template"}},
	{"a template of level 3", templateWith(`{"uriTemplate":"note://{a,b}"}`), []string{"high-template, template note://{a,b}, : *"}},
	{"a template of level 4", templateWith(`{"uriTemplate":"note://{a:3}"}`), []string{"high-template, template note://{a:3}, : *"}},
	{"a template of path segments", templateWith(`{"uriTemplate":"file:///{/path*}"}`), []string{"high-template, template file:///{/path*}, : *"}},
	{"a template that is open", templateWith(`{"uriTemplate":"note://{id"}`), []string{"bad-template, template note://{id, : *"}},
	{"a template with a bad name", templateWith(`{"uriTemplate":"note://{my id}"}`), []string{"bad-template, template note://{my id}, : *"}},
	{"a template without a scheme", templateWith(`{"uriTemplate":"notes/{a,b}"}`), []string{"bad-template, template notes/{a,b}, : *"}},
	{"a template without variables", templateWith(`{"uriTemplate":"note://7"}`), []string{"no-variables, template note://7, : no variables"}},
	{"a template of the web", templateWith(`{"uriTemplate":"https://e.example/{id}"}`), []string{"web-uri, template https://e.example/{id}, : the scheme is https"}},
	{"a template twice", Lists{Templates: append(templateWith(`{}`).Templates, templateWith(`{}`).Templates...)}, []string{"same-template, template note://{id}, : the template is there twice"}},
	{"a template without a text", templateWith(`{"description":""}`), []string{"no-template-text, template note://{id}, : neither a title nor a description"}},
	{"a list that is large", Lists{Prompts: list(client.DecodePrompt, `{"name":"a","description":"Says a","_meta":{"x":"`+strings.Repeat("a", 256<<10)+`"}}`)}, []string{"heavy-list, , : prompts: 262196 bytes"}},

	{"contents", reading(`{}`, `[{"uri":"note://7","mimeType":"text/plain","text":"seven"}]`), nil},
	{"contents that are not there", reading(`{}`, ``), []string{"not-readable, resource note://7, : no such resource (JSON-RPC error -32002)"}},
	{"no contents", reading(`{}`, `[]`), []string{"no-contents, resource note://7, : an empty list of contents"}},
	{"contents without a MIME type", reading(`{}`, `[{"uri":"note://7","text":"seven"}]`), []string{"no-mime, resource note://7, contents: no MIME type"}},
	{"contents of another MIME type", reading(`{}`, `[{"uri":"note://7","mimeType":"text/html","text":"seven"}]`), []string{`other-mime, resource note://7, contents: the MIME type is "text/html", and "text/plain" in the list`}},
	{"contents of another size", reading(`{}`, `[{"uri":"note://7","mimeType":"text/plain","text":"sieben"}]`), []string{"other-size, resource note://7, contents: 6 bytes, and 5 in the list"}},
	{"a blob of text", reading(`{}`, `[{"uri":"note://7","mimeType":"text/plain","blob":"c2V2ZW4="}]`), []string{`text-as-blob, resource note://7, contents: a blob of "text/plain"`}},
	{"a blob of JSON", reading(`{"mimeType":"application/ld+json"}`, `[{"uri":"note://7","mimeType":"application/ld+json","blob":"c2V2ZW4="}]`), []string{`text-as-blob, resource note://7, contents: a blob of "application/ld+json"`}},
	{"a blob of bytes", reading(`{"mimeType":"text/plain"}`, `[{"uri":"note://7","mimeType":"text/plain","blob":"//7//v8="}]`), nil},
	{"no base64", reading(`{}`, `[{"uri":"note://7","mimeType":"image/png","blob":"*"}]`), []string{
		`other-mime, resource note://7, contents: the MIME type is "image/png", and "text/plain" in the list`, "bad-blob, resource note://7, contents: it is not base64",
	}},
	{"contents of others", reading(`{}`, `[{"uri":"note://7/a","mimeType":"image/png","blob":"AA=="},{"uri":"note://7/b","mimeType":"x","text":""}]`), []string{`bad-mime, resource note://7, contents[1]: the MIME type is "x"`}},
	{"a view as a blob", reading(`{"uri":"ui://a","mimeType":"text/html;profile=mcp-app","size":null}`, `[{"uri":"ui://a","mimeType":"text/html;profile=mcp-app","blob":"c2V2ZW4="}]`), nil},
	{"a view of another type", reading(`{"uri":"ui://a","mimeType":"text/html;profile=mcp-app","size":null}`, `[{"uri":"ui://a","mimeType":"text/html","text":"x"}]`), []string{
		`other-mime, resource ui://a, contents: the MIME type is "text/html", and "text/html;profile=mcp-app" in the list`, `view-mime, resource ui://a, contents: the MIME type is "text/html"`,
	}},
	{"a result within what clients take", sample(100_000, `{}`), nil},
	{"a text that is large", sample(100_001, `{}`), []string{`large-result, look_up, result: about 25001 tokens for the arguments {"id":7}`}},
	{"structured content that is large", sample(7, `{"rows":"`+strings.Repeat("a", 200_000)+`"}`), []string{`large-result, look_up, result: about 50003 tokens for the arguments {"id":7}`}},
}

// sample returns a good tool and the result of a call, with two texts of together this size.
func sample(textSize int, structured string) Lists {
	texts := []client.Content{{Type: "text", Text: strings.Repeat("a", textSize-5)}, {Type: "image", Data: strings.Repeat("A", 200_000)}, {Type: "resource", Text: "aaaaa"}}
	return Lists{
		Tools:   list(client.ReadTool, named("look_up")),
		Results: []Sample{{"look_up", json.RawMessage(`{"id":7}`), &client.Result{Content: texts, StructuredContent: json.RawMessage(structured)}}},
	}
}

// TestListRules has an entry that violates each rule. A * replaces text from another package.
func TestListRules(t *testing.T) {
	t.Parallel()
	for _, tt := range listCases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for i, f := range Check(tt.lists, Options{All: true}).Findings {
				found := f.Found
				if i < len(tt.want) && strings.HasSuffix(tt.want[i], ": *") && found != "" {
					found = "*"
				}
				got = append(got, fmt.Sprintf("%s, %s, %s: %s", f.Rule, f.subject(), f.Path, found))
			}
			if !sameSet(tt.want, got) {
				t.Errorf("findings (-want +got):\n%s", cmp.Diff(tt.want, got))
			}
		})
	}
}

// TestListText prints findings of all kinds and the sizes of the lists.
func TestListText(t *testing.T) {
	t.Parallel()
	lists := Lists{
		Tools: list(client.ReadTool, named("look_up")), Prompts: list(client.DecodePrompt, `{"name":"a b","description":"Says a"}`, `{"name":"c"}`),
		Resources: list(client.DecodeResource, `{"uri":"https://e.example","name":"x\u001b[2J"}`), Templates: list(client.DecodeResource, `{"uriTemplate":"n:{","name":"n"}`),
	}
	report := Check(lists, Options{All: true})
	text := report.Text(0)
	for _, want := range []string{
		"LEVEL    RULE                   OF ", "  prompt a b ", "  resource https://e.example ", "  template n:{ ",
		"prompts: 2, 49 bytes, the largest is a b with 37\n", "resources: 1, ", "resourceTemplates: 1, ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "\x1b") {
		t.Errorf("it steers the terminal: %q", text)
	}
	if short := Check(lists, Options{}).Text(80); strings.Contains(short, "no-resource-text") || !strings.Contains(short, "\nnot shown: 1 piece of advice") {
		t.Errorf("the advice is\n%s", short)
	}
}
