package apps_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/extension/apps"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
)

// internals has the functions of package mcptool that are not in its API.
var internals = mcptool.Internal(private.Key{})

type none = struct{}

func draw(context.Context, none) (mcptool.Text, error) { return mcptool.Text{Text: "drawn"}, nil }

const document = "<!doctype html>\n<title>A view</title>\n<script>document.body.textContent = 'a view'</script>\n"

// files returns a file system with one document.
func files(name, text string) fs.FS { return fstest.MapFS{name: {Data: []byte(text)}} }

// define returns a tool with these options.
func define(t *testing.T, opts ...mcptool.ToolOption) *mcptool.Tool {
	t.Helper()
	tool, err := mcptool.New(draw, append([]mcptool.ToolOption{mcptool.Name("draw")}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// uiOf returns _meta.ui of the tool and the flat member, as sent to a client with the extension.
func uiOf(t *testing.T, tool *mcptool.Tool) (ui map[string]any, flat string) {
	t.Helper()
	var meta struct {
		UI   map[string]any `json:"ui"`
		Flat string         `json:"ui/resourceUri"`
	}
	encoded, err := json.Marshal(internals.MetaFor(tool, func(*mcptool.ClientExtension) bool { return true }))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(encoded, &meta); err != nil {
		t.Fatal(err)
	}
	return meta.UI, meta.Flat
}

// readView returns the contents of the tool's view.
func readView(t *testing.T, tool *mcptool.Tool) mcptool.ResourceContents {
	t.Helper()
	ui, _ := uiOf(t, tool)
	uri, _ := ui["resourceUri"].(string)
	var registry mcptool.Registry
	if err := registry.Add(tool); err != nil {
		t.Fatal(err)
	}
	resource, ok := registry.LookupResource(uri)
	if !ok {
		t.Fatalf("the registry has no %q", uri)
	}
	contents, err := resource.Read(t.Context(), uri)
	if err != nil || len(contents) != 1 {
		t.Fatalf("%v: %v", contents, err)
	}
	return contents[0]
}

func TestView(t *testing.T) {
	t.Parallel()
	tool := define(t, apps.View(files("pages/My Chart.html", document), "pages/My Chart.html"))
	ui, flat := uiOf(t, tool)
	uri, _ := ui["resourceUri"].(string)
	t.Run("APP-01 APP-11", func(t *testing.T) {
		if !regexp.MustCompile(`^ui://my-chart/my-chart-[0-9a-f]{16}\.html$`).MatchString(uri) {
			t.Errorf("the URI is %q", uri)
		}
	})
	t.Run("APP-08", func(t *testing.T) {
		if len(ui) != 1 || flat != uri {
			t.Errorf("_meta.ui is %v, the flat member %q", ui, flat)
		}
	})
	t.Run("APP-02 APP-13", func(t *testing.T) {
		want := mcptool.ResourceContents{URI: uri, MIMEType: "text/html;profile=mcp-app", Text: document}
		if diff := cmp.Diff(want, readView(t, tool)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
	t.Run("APP-03", func(t *testing.T) {
		if meta := internals.MetaFor(tool, func(*mcptool.ClientExtension) bool { return false }); meta != nil {
			t.Errorf("a client without the extension gets %v", meta)
		}
	})
}

// TestViewURI checks that the URI changes if and only if the view does, because hosts cache by URI.
func TestViewURI(t *testing.T) {
	t.Parallel()
	uri := func(text string, opts ...apps.ViewOption) string {
		ui, _ := uiOf(t, define(t, apps.View(files("v.html", text), "v.html", opts...)))
		uri, _ := ui["resourceUri"].(string)
		return uri
	}
	plain := uri(document)
	if again := uri(document); again != plain {
		t.Errorf("%s, and then %s", plain, again)
	}
	seen := map[string]string{plain: "the document"}
	for name, other := range map[string]string{
		"another document":   uri(document + " "),
		"a border":           uri(document, apps.Border(true)),
		"no border":          uri(document, apps.Border(false)),
		"an origin":          uri(document, apps.Connect("https://a.example")),
		"the same elsewhere": uri(document, apps.Resources("https://a.example")),
	} {
		if same := seen[other]; same != "" {
			t.Errorf("%s has the URI of %s", name, same)
		}
		seen[other] = name
	}
}

// TestViewShared checks that two tools with the same view share a resource, which is removed with the last of them.
func TestViewShared(t *testing.T) {
	t.Parallel()
	fsys := files("v.html", document)
	var registry mcptool.Registry
	again, err := mcptool.New(draw, mcptool.Name("draw_again"), apps.View(fsys, "v.html"))
	if err != nil {
		t.Fatal(err)
	}
	if err := registry.Add(define(t, apps.View(fsys, "v.html")), again); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		remove string
		want   int
	}{{"", 1}, {"draw", 1}, {"draw_again", 0}} {
		tool, _ := registry.Lookup(step.remove)
		registry.Remove(tool)
		if got := len(slices.Collect(registry.Resources())); got != step.want {
			t.Errorf("%d resources without %q, want %d", got, step.remove, step.want)
		}
	}
}

func TestViewMeta(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		opts []apps.ViewOption
		want string
	}{
		{"border", []apps.ViewOption{apps.Border(true)}, `{"prefersBorder":true}`},
		{"no border", []apps.ViewOption{apps.Border(false)}, `{"prefersBorder":false}`},
		{"origins", []apps.ViewOption{
			apps.Connect("https://api.example.com", "wss://live.example.com:8443"), apps.Connect("https://api.example.com", "http://localhost:8080"),
			apps.Resources("https://*.example.com"), apps.Frames("https://www.example.com"), apps.BaseURIs("https://example.com"),
		}, `{"csp":{"connectDomains":["https://api.example.com","wss://live.example.com:8443","http://localhost:8080"],"resourceDomains":["https://*.example.com"],"frameDomains":["https://www.example.com"],"baseUriDomains":["https://example.com"]}}`},
		{"permissions", []apps.ViewOption{apps.Permit(apps.PermissionCamera, apps.PermissionMicrophone), apps.Permit(apps.PermissionGeolocation, apps.PermissionClipboardWrite)}, `{"permissions":{"camera":{},"clipboardWrite":{},"geolocation":{},"microphone":{}}}`},
		{"domain", []apps.ViewOption{apps.Domain("a904794854a047f6.claudemcpcontent.com")}, `{"domain":"a904794854a047f6.claudemcpcontent.com"}`},
	}
	for _, test := range tests {
		got := readView(t, define(t, apps.View(files("v.html", document), "v.html", test.opts...))).Meta
		raw, _ := got["ui"].(json.RawMessage)
		if len(got) != 1 || string(raw) != test.want {
			t.Errorf("%s: _meta is %s of %d members, want %s", test.name, raw, len(got), test.want)
		}
	}
}

// mistakesOf returns the mistakes of a tool with these options, one to a line.
func mistakesOf(t *testing.T, opts ...mcptool.ToolOption) string {
	t.Helper()
	_, err := mcptool.New(draw, append(opts, mcptool.Name("draw"))...)
	wrong := (*mcptool.RegisterError)(nil)
	if !errors.As(err, &wrong) {
		t.Fatalf("the error is %v", err)
	}
	var lines []string
	for _, m := range wrong.Mistakes {
		if m.Tool != "draw" || m.Fix == "" {
			t.Errorf("the mistake has no tool or no fix: %+v", m)
		}
		lines = append(lines, m.Reason+": "+m.Fix)
	}
	return strings.Join(lines, "\n")
}

func TestViewMistakes(t *testing.T) {
	t.Parallel()
	const good = "https://api.example.com"
	view := func(text string, opts ...apps.ViewOption) mcptool.ToolOption {
		return apps.View(files("v.html", text), "v.html", opts...)
	}
	tests := []struct {
		name   string
		option mcptool.ToolOption
		want   []string
		reason string
	}{
		{"no file system", apps.View(nil, "v.html"), []string{"the view v.html: the file system is nil"}, "nothing to read"},
		{"no file", apps.View(fstest.MapFS{}, "v.html"), []string{"the view v.html: open v.html: file does not exist"}, "the name is wrong"},
		{"a directory", apps.View(files("v/x.html", document), "v"), []string{"the view v: "}, "it has no content"},
		{"outside", apps.View(files("v.html", document), "../v.html"), []string{"the view ../v.html: "}, "io/fs has no such paths"},
		{"APP-02 fragment", view("<p>chart"), []string{`it is not an HTML5 document in UTF-8: begin it with "<!doctype html>"`}, "hosts show documents"},
		{"APP-02 not UTF-8", view(document + "\xff"), []string{"it is not an HTML5 document"}, "JSON cannot have it"},
		{"APP-10 relative", view("<!doctype html>\n<script src=app.js></script>"), []string{`line 2: script src="app.js" loads content from outside the document: a view has no base URL`}, "frames of hosts have no address"},
		{"APP-10 elsewhere", view(`<!doctype html><link rel=stylesheet href="//cdn.example.com/a.css">`), []string{`pass apps.Resources("https://cdn.example.com")`}, "the default policy is closed"},
		{"APP-10 another origin", view(`<!doctype html><img src="https://cdn.example.com:444/a.png">`, apps.Resources("https://cdn.example.com")), []string{`apps.Resources("https://cdn.example.com:444")`}, "ports are part of origins"},
		{"APP-10 frame", view(`<!doctype html><iframe src="https://www.example.com/"></iframe>`, apps.Resources("https://www.example.com")), []string{`apps.Frames("https://www.example.com")`}, "frames are asked for apart"},
		{"APP-10 plug-in", view(`<!doctype html><object data="https://www.example.com/"></object>`), []string{"no host lets a view load plug-ins"}, "object-src is none"},
		{"APP-10 data of a script", view(`<!doctype html><script src="data:text/javascript,1"></script>`), []string{"loads content from outside the document"}, "data: is for pictures and media"},
		{"APP-10 no URL", view("<!doctype html><img src='http://[::1'>"), []string{"the src of img is not a URL"}, "it can load nothing"},
		{"APP-10 base", view("<!doctype html><base href='https://a.example/'><img src=a.png>", apps.BaseURIs("https://a.example")), []string{`img src="a.png" loads content from outside the document`, `apps.Resources("https://a.example")`}, "it is relative to the base"},
		{"APP-09 path", view(document, apps.Connect("https://api.example.com/")), []string{`the option apps.Connect: "https://api.example.com/" is not an origin`}, "an origin has no path"},
		{"APP-09 injection", view(document, apps.Connect("https://a.example; script-src *")), []string{"is not an origin"}, "hosts write it into a header"},
		{"APP-09 all", view(document, apps.Resources("*", "https://*", "https:")), []string{`"*" is not an origin`, `"https://*" is not an origin`, `"https:" is not an origin`}, "that would open the policy"},
		{"APP-09 keyword", view(document, apps.Resources("'unsafe-eval'")), []string{"is not an origin"}, "it is not an origin"},
		{"APP-09 public suffix", view(document, apps.Frames("https://*.com")), []string{"stands for too many hosts"}, "it has no single owner"},
		{"APP-09 plain", view(document, apps.Connect("http://api.example.com")), []string{"is not encrypted, so hosts block it: write https"}, "mixed content"},
		{"APP-09 socket", view(document, apps.Resources("wss://api.example.com")), []string{"which is only for apps.Connect"}, "nothing is loaded from it"},
		{"APP-09 port", view(document, apps.Connect("https://api.example.com:65536")), []string{"has a port above 65535"}, "there is no such port"},
		{"APP-09 dots", view(document, apps.Connect("https://api..example.com")), []string{"is not an origin"}, "there is no such host"},
		{"APP-09 none", view(document, apps.BaseURIs()), []string{"the option apps.BaseURIs names no origin"}, "it has no effect"},
		{"APP-09 permission", view(document, apps.Permit("usb")), []string{`the option apps.Permit names "usb"`}, "the extension has none"},
		{"APP-13 policy in a domain", view(document, apps.Domain("a.example; script-src *")), []string{`the option apps.Domain: "a.example; script-src *" is not a domain`}, "it could change the policy"},
		{"APP-13 line break in a domain", view(document, apps.Domain("a.example\r\nX: y")), []string{`is not a domain`}, "it could add a header"},
		{"APP-13 empty domain", view(document, apps.Domain(" ")), []string{"the option apps.Domain sets an empty text"}, "it has no effect"},
		{"nil option", view(document, nil), []string{"an option is nil"}, "it would panic"},
		{"all at once", view("<p>", apps.Connect("x", good), apps.Permit("y")), []string{`"x" is not an origin`, `names "y"`, "not an HTML5 document"}, "an author wants to see all"},
		{"APP-05 no audience", apps.Visibility(), []string{"the option apps.Visibility is empty: pass apps.AudienceModel, apps.AudienceApp or both"}, "no client could call it"},
		{"APP-05 unknown", apps.Visibility("user", apps.AudienceApp), []string{`names "user"`}, "the extension has two"},
		{"APP-05 twice", apps.Visibility(apps.AudienceApp, apps.AudienceApp), []string{`names "app" twice`}, "once is enough"},
	}
	for _, test := range tests {
		got := mistakesOf(t, test.option)
		for _, want := range test.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s\n\tgot  %s\n\twant %s", test.name, test.reason, got, want)
			}
		}
	}
}

// TestViewTwice checks that a second view of a tool is a mistake.
func TestViewTwice(t *testing.T) {
	t.Parallel()
	got := mistakesOf(t, apps.View(files("a.html", document), "a.html"), apps.View(files("b.html", document), "b.html"))
	if !strings.Contains(got, "is set twice") {
		t.Errorf("got %s", got)
	}
}

// TestViewLoads checks that a document may load data URIs and URLs of the origins that the view allows.
func TestViewLoads(t *testing.T) {
	t.Parallel()
	for name, view := range map[string]mcptool.ToolOption{
		"data":     apps.View(files("v.html", `<!doctype html><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><iframe src="about:blank"></iframe>`), "v.html"),
		"wildcard": apps.View(files("v.html", `<!doctype html><script src="https://CDN.a.example:443/x.js"></script>`), "v.html", apps.Resources("https://*.a.example")),
		"base": apps.View(files("v.html", `<!doctype html><base href="https://a.example/b/"><script src="x.js"></script>`), "v.html",
			apps.BaseURIs("https://a.example"), apps.Resources("https://a.example")),
		"local": apps.View(files("v.html", `<!doctype html><script src="http://localhost:5173/x.js"></script>`), "v.html", apps.Resources("http://localhost:5173")),
	} {
		if _, err := mcptool.New(draw, mcptool.Name("draw"), view); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
