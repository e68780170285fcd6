package runtime_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

type listFn = func(ctx context.Context, cursor string) ([]mcptool.ResourceLink, string, error)

// links returns n links under a scheme.
func links(scheme string, n int) (page []mcptool.ResourceLink) {
	for i := range n {
		page = append(page, mcptool.ResourceLink{URI: fmt.Sprintf("%s://%d", scheme, i), Name: fmt.Sprint(i)})
	}
	return page
}

// addLister adds a template with a func that lists.
func addLister(t *testing.T, srv *runtime.Server, scheme string, list listFn, opts ...mcptool.ResourceOption) {
	t.Helper()
	addResource(t, srv, scheme+"://{id}", func(context.Context, textID) (string, error) { return "x", nil }, append(opts, mcptool.ListWith(list))...)
}

// TestListerFails: the error of a lister is that of the list, so that nobody takes a part for everything.
func TestListerFails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		list listFn
		want string
		logs string
	}{
		{"RES-07 an error", func(context.Context, string) ([]mcptool.ResourceLink, string, error) {
			return nil, "", errors.New("the secret")
		}, `failed with an internal error (reference`, "listing b://{id}: the secret"},
		{"a public error", func(context.Context, string) ([]mcptool.ResourceLink, string, error) {
			return nil, "", mcptool.Errorf("the database is down")
		}, `"code":-32603,"message":"the database is down"`, ""},
		{"a panic", func(context.Context, string) ([]mcptool.ResourceLink, string, error) { panic("the secret") }, `failed with an internal error (reference`, "the secret"},
		{"a link of another template", func(context.Context, string) ([]mcptool.ResourceLink, string, error) {
			return links("other", 1), "", nil
		}, `failed with an internal error (reference`, "does not match the template"},
		{"a cursor that leads nowhere", func(_ context.Context, cursor string) ([]mcptool.ResourceLink, string, error) {
			return links("b", 1), "again", nil
		}, `failed with an internal error (reference`, "the cursor of the current page"},
		{"no such resource", func(context.Context, string) ([]mcptool.ResourceLink, string, error) {
			return nil, "", mcptool.ErrResourceNotFound
		}, `failed with an internal error (reference`, "resource not found"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t)
			srv.MaskErrors = true
			log := logged(srv, slog.LevelError)
			addLister(t, srv, "a", func(context.Context, string) ([]mcptool.ResourceLink, string, error) { return links("a", 2), "", nil })
			addLister(t, srv, "b", test.list)
			w := open(t, srv)
			w.send(modern("1", "resources/list", `,"cursor":"`+base64.RawURLEncoding.EncodeToString([]byte(`under ["b://{id}","again"]`))+`"`))
			if answer := w.want(`"id":1,"error":`, test.want); strings.Contains(answer, "secret") || !strings.Contains(log.String(), test.logs) {
				t.Errorf("got %s, and the log has %s", answer, log)
			}
			w.send(modern("2", "ping", "")) // the session goes on
			w.want(`"id":2`)
		})
	}
}

// TestListerTimeout: a lister has the time of its resource, whether it minds its context or not, and the answer is sent when
// the time is up.
func TestListerTimeout(t *testing.T) {
	t.Parallel()
	for name, ignores := range map[string]bool{"minds its context": false, "ignores it": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := serve(t)
				addLister(t, srv, "a", func(ctx context.Context, _ string) ([]mcptool.ResourceLink, string, error) {
					if ignores {
						time.Sleep(time.Hour)
					}
					<-ctx.Done()
					return nil, "", ctx.Err()
				}, mcptool.Timeout(2*time.Second))
				w, begun := open(t, srv), time.Now()
				w.send(modern("1", "resources/list", ""))
				w.want(`"error":{"code":-32603,"message":"`, `limit of 2s"`)
				if took := time.Since(begun); took != 2*time.Second {
					t.Errorf("answered after %v", took)
				}
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

// TestListerPages: each page of a lister is sent as it is, also an empty one, the first together with resources without
// variables.
func TestListerPages(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		list listFn
		want []int // the sizes of pages
	}{
		{"larger than a page of the server", func(context.Context, string) ([]mcptool.ResourceLink, string, error) { return links("a", 25), "", nil }, []int{26}},
		{"exactly a page", func(context.Context, string) ([]mcptool.ResourceLink, string, error) { return links("a", 10), "", nil }, []int{11}},
		{"empty", func(_ context.Context, cursor string) ([]mcptool.ResourceLink, string, error) {
			if len(cursor) < 2 {
				return nil, cursor + "x", nil
			}
			return links("a", 1), "", nil
		}, []int{1, 0, 1}},
		{"none", func(context.Context, string) ([]mcptool.ResourceLink, string, error) { return nil, "", nil }, []int{1}},
	} {
		t.Run("RES-04 "+test.name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t)
			srv.Limits.ToolsPerPage = 10
			addLister(t, srv, "a", test.list)
			addResource(t, srv, "fixed://x", func(context.Context, struct{}) (string, error) { return "x", nil })
			w, params := open(t, srv), ""
			for i, want := range test.want {
				w.send(modern("1", "resources/list", params))
				var answer struct {
					Result struct {
						Resources  []struct{ URI string }
						NextCursor *string
					}
				}
				decode(t, w.next(), &answer)
				if got := answer.Result; got.Resources == nil || len(got.Resources) != want || (got.NextCursor == nil) != (i == len(test.want)-1) {
					t.Fatalf("page %d is %+v, want %d resources", i, got, want)
				}
				if answer.Result.NextCursor != nil {
					params = fmt.Sprintf(`,"cursor":%q`, *answer.Result.NextCursor)
				}
			}
		})
	}
}

// TestListersOfSome: a caller who may not see a template does not see what is under it, and gets no part of it by a cursor.
func TestListersOfSome(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	addLister(t, srv, "a", func(context.Context, string) ([]mcptool.ResourceLink, string, error) { return links("a", 3), "2", nil }, mcptool.Scopes("read"))
	full := string(ask(t, srv, granted("ada", "read"), &collector{}, "resources/list", ""))
	_, cursor, found := strings.Cut(full, `"nextCursor":"`)
	if cursor, _, _ = strings.Cut(cursor, `"`); !found || !strings.Contains(full, `"uri":"a://1"`) {
		t.Fatal(full)
	}
	for _, params := range []string{"", `"cursor":"` + cursor + `",`} {
		if got := string(ask(t, srv, granted("bob", ""), &collector{}, "resources/list", params)); !strings.Contains(got, `"resources":[]`) {
			t.Errorf("%s: got %s", params, got)
		}
	}
}

// TestAttachedMeta: a client that supports an extension gets what it adds to a tool, in revisions that have _meta there; no
// other client does, and no cache may share the list.
func TestAttachedMeta(t *testing.T) {
	t.Parallel()
	one := &mcptool.ClientExtension{ID: "com.example/one"}
	picky := &mcptool.ClientExtension{ID: "com.example/picky", Supports: func(settings json.RawMessage) bool { return strings.Contains(string(settings), "yes") }}
	attach := func(e *mcptool.ClientExtension, key string) mcptool.ToolOption {
		return mcptool.Attach(mcptool.Attachment{Extension: e, Meta: map[string]any{key: map[string]any{"a": 1}}})
	}
	srv := serve(t, tool(t, "x", echo, attach(one, "one"), attach(picky, "picky"), mcptool.Meta(map[string]any{"example.com/m": 2})), tool(t, "y", echo))
	srv.ListCache.Public = true
	const own, ones, pickys = `"example.com/m":2`, `"one":{"a":1}`, `"picky":{"a":1}`
	for _, test := range []struct{ name, extensions, want string }{
		{"none", `{}`, own},
		{"one", `{"com.example/one":{}}`, own + "," + ones},
		{"both", `{"com.example/one":{},"com.example/picky":{"v":"yes"}}`, own + "," + ones + "," + pickys},
		{"one that is not supported so", `{"com.example/picky":{"v":"no"}}`, own},
		{"another", `{"com.example/other":{}}`, own},
	} {
		w := open(t, srv)
		for range 2 { // rendered, and kept
			w.send(strings.Replace(modern("1", "tools/list", ""), `clientCapabilities":{}`, `clientCapabilities":{"extensions":`+test.extensions+`}`, 1))
			w.want(`"_meta":{`+test.want+`}},{"name":"y"`, `"cacheScope":"private"`)
		}
		for _, revision := range []string{"2025-03-26", "2025-06-18"} {
			w := open(t, srv)
			w.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":{"extensions":` + test.extensions + `},"clientInfo":{"name":"t","version":"1"}}}`)
			w.want(`"extensions":{"com.example/one":{},"com.example/picky":{}}`)
			w.send(legacy("1", "tools/list", ""))
			if answer := w.next(); strings.Contains(answer, `"_meta":{`+test.want+`}}`) != (revision == "2025-06-18") {
				t.Errorf("%s, %s: got %s", test.name, revision, answer)
			}
		}
	}
}

// TestListerRate: the rate limit of a resource also limits how often a caller lists a page of what is under it.
func TestListerRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t)
		addLister(t, srv, "b", func(context.Context, string) ([]mcptool.ResourceLink, string, error) {
			return links("b", 1), "", nil
		}, mcptool.RateLimit(mcptool.Rate{Calls: 1, Per: time.Minute}))
		list := func(who string) string {
			return string(ask(t, srv, granted(who, ""), &collector{}, "resources/list", ``))
		}
		if got := list("ada"); !strings.Contains(got, `"uri":"b://0"`) {
			t.Errorf("the first list: %s", got)
		}
		if got := list("ada"); !strings.Contains(got, "may be requested once per minute by one caller; request it again in 1m0s") {
			t.Errorf("the second list: %s", got)
		}
		if got := list("bob"); !strings.Contains(got, `"uri":"b://0"`) {
			t.Errorf("another caller: %s", got)
		}
		time.Sleep(time.Minute)
		if got := list("ada"); !strings.Contains(got, `"uri":"b://0"`) {
			t.Errorf("a minute later: %s", got)
		}
	})
}
