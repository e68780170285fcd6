package runtime_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

type listFn = func(ctx context.Context, cursor string) ([]mcptool.ResourceLink, string, error)

// links returns n links with a scheme.
func links(scheme string, n int) (page []mcptool.ResourceLink) {
	for i := range n {
		page = append(page, mcptool.ResourceLink{URI: fmt.Sprintf("%s://%d", scheme, i), Name: fmt.Sprint(i)})
	}
	return page
}

// addLister adds a template with a lister.
func addLister(t *testing.T, srv *runtime.Server, scheme string, list listFn, opts ...mcptool.ResourceOption) {
	t.Helper()
	addResource(t, srv, scheme+"://{id}", func(context.Context, textID) (string, error) { return "x", nil }, append(opts, mcptool.ListWith(list))...)
}

// failedListers returns the templates in the _meta of a page that could not be listed, and the messages.
func failedListers(t *testing.T, msg string) (templates []string, messages string) {
	t.Helper()
	var answer struct {
		Result struct {
			Meta struct {
				Failed []struct{ URITemplate, Message string } `json:"io.github.mcptool-go/failedTemplates"`
			} `json:"_meta"`
		}
	}
	decode(t, msg, &answer)
	for _, f := range answer.Result.Meta.Failed {
		templates, messages = append(templates, f.URITemplate), messages+f.Message
	}
	return templates, messages
}

// TestListerFails: if a lister fails, the other resources are listed, the _meta of the page has the template and the
// reason, and the error is logged. If nothing can be listed, the request fails.
func TestListerFails(t *testing.T) {
	t.Parallel()
	again := base64.RawURLEncoding.EncodeToString([]byte(`under ["b://{id}","again"]`))
	for _, test := range []struct {
		name string
		list listFn
		want string
		logs string
	}{
		{"RES-07 error", func(context.Context, string) ([]mcptool.ResourceLink, string, error) {
			return nil, "", errors.New("the secret")
		}, `failed with an internal error (reference`, "listing b://{id}: the secret"},
		{"public error", func(context.Context, string) ([]mcptool.ResourceLink, string, error) {
			return nil, "", mcptool.Errorf("the database is down")
		}, `the database is down`, "the database is down"},
		{"panic", func(context.Context, string) ([]mcptool.ResourceLink, string, error) { panic("the secret") }, `failed with an internal error (reference`, "the secret"},
		{"runtime.Goexit", func(context.Context, string) ([]mcptool.ResourceLink, string, error) {
			goruntime.Goexit()
			return nil, "", nil
		}, `failed with an internal error (reference`, "runtime.Goexit"},
		{"link of another template", func(context.Context, string) ([]mcptool.ResourceLink, string, error) {
			return links("other", 1), "", nil
		}, `failed with an internal error (reference`, "does not match the template"},
		{"repeated cursor", func(_ context.Context, cursor string) ([]mcptool.ResourceLink, string, error) {
			if cursor == "" {
				return nil, "", errors.New("the cursor of the current page")
			}
			return links("b", 1), "again", nil
		}, `failed with an internal error (reference`, "the cursor of the current page"},
		{"no such resource", func(context.Context, string) ([]mcptool.ResourceLink, string, error) {
			return nil, "", mcptool.ErrResourceNotFound
		}, `failed with an internal error (reference`, "resource not found"},
		{"too large", func(context.Context, string) ([]mcptool.ResourceLink, string, error) {
			return links("b", 200), "", nil
		}, `the result has more than`, "the result has more than"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t)
			srv.MaskErrors, srv.ListCache.TTL, srv.Limits.MaxResultBytes = true, time.Hour, 5000
			log := logged(srv, slog.LevelWarn)
			addLister(t, srv, "b", test.list)
			w := open(t, srv)
			w.send(modern("1", "resources/list", ""))
			if answer := w.want(`"id":1,"error":{"code":-32603`, test.want); strings.Contains(answer, "secret") {
				t.Errorf("got %s, want no secret", answer)
			}
			addLister(t, srv, "a", func(context.Context, string) ([]mcptool.ResourceLink, string, error) { return links("a", 2), "", nil })
			addLister(t, srv, "c", func(context.Context, string) ([]mcptool.ResourceLink, string, error) { return links("c", 1), "", nil })
			addResource(t, srv, "fixed://x", func(context.Context, struct{}) (string, error) { return "x", nil })
			for _, request := range []struct{ params, want string }{
				{"", `"uri":"fixed://x" "uri":"a://0" "uri":"a://1" "uri":"c://0"`},
				{`,"cursor":"` + again + `"`, `"uri":"c://0"`},
			} {
				w.send(modern("2", "resources/list", request.params))
				answer := w.want(`"id":2,"result":`)
				if uris := strings.Join(regexp.MustCompile(`"uri":"[^"]*"`).FindAllString(answer, -1), " "); test.name != "too large" && uris != request.want {
					t.Errorf("page = %s, want %s", uris, request.want)
				}
				templates, messages := failedListers(t, answer)
				if test.name == "too large" && request.params == "" { // tried again on the next page
					if len(templates) > 0 || !strings.Contains(answer, "nextCursor") {
						t.Errorf("got %s, want a next cursor and no failed templates", answer)
					}
					continue
				}
				if !slices.Equal(templates, []string{"b://{id}"}) || !strings.Contains(messages, test.want) || strings.Contains(answer, "secret") || !strings.Contains(answer, `"ttlMs":0`) {
					t.Errorf("got %s, want the failed template and %s", answer, test.want)
				}
			}
			if !strings.Contains(log.String(), test.logs) || !strings.Contains(log.String(), "resources of a template are not listed") {
				t.Errorf("log lacks the error: %s", log)
			}
		})
	}
}

// TestListerTimeout: the timeout of a resource applies to its lister, even if the lister ignores its context. The page is
// then sent without its resources. A lister that is still running counts as a call in flight.
func TestListerTimeout(t *testing.T) {
	t.Parallel()
	for name, ignores := range map[string]bool{"respects its context": false, "ignores its context": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := serve(t)
				srv.Limits.MaxCallsInFlight = 2
				addLister(t, srv, "a", func(ctx context.Context, _ string) ([]mcptool.ResourceLink, string, error) {
					if ignores {
						time.Sleep(time.Hour)
					}
					<-ctx.Done()
					return nil, "", ctx.Err()
				}, mcptool.Timeout(2*time.Second))
				w := open(t, srv)
				list := func(id, want string) {
					begun := time.Now()
					w.send(modern(id, "resources/list", ""))
					w.want(`"id":`+id, want, `the resource ran longer than its limit of 2s"`)
					if took := time.Since(begun); took != 2*time.Second {
						t.Errorf("answered after %v, want 2s", took)
					}
					synctest.Wait() // a lister that respects its context returns after the answer
				}
				list("1", `"error":{"code":-32603,"message":"`)
				addResource(t, srv, "fixed://x", func(context.Context, struct{}) (string, error) { return "x", nil })
				addLister(t, srv, "b", func(context.Context, string) ([]mcptool.ResourceLink, string, error) { return links("b", 1), "", nil })
				list("2", `"uri":"b://0"`)
				w.send(modern("3", "resources/list", ""))
				time.Sleep(3 * time.Second)
				if got := w.next(); strings.Contains(got, "2 calls are in flight") != ignores {
					t.Errorf("while two listers run: rejected = %t, want %t: %s", strings.Contains(got, "2 calls are in flight"), ignores, got)
				}
				time.Sleep(2 * time.Hour)
				list("4", `"uri":"fixed://x"`) // the listers have returned
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

// TestListersFillPage: a page is filled from several listers until it has enough items, or has too many bytes for the next
// lister, which is then on the next page.
func TestListersFillPage(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		sizes []int // page size of each lister
		bytes int   // Limits.MaxResultBytes
		want  []int // page sizes
	}{
		{"one page", []int{2, 3, 4}, 0, []int{10}},
		{"full page", []int{4, 5, 3}, 0, []int{10, 3}},
		{"more than a full page", []int{4, 8, 3}, 0, []int{13, 3}},
		{"empty listers", []int{0, 0, 1}, 0, []int{2}},
		{"page limited by bytes", []int{4, 4, 4}, 1600, []int{9, 4}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t)
			srv.Limits.ToolsPerPage, srv.Limits.MaxResultBytes = 10, test.bytes
			for i, size := range test.sizes {
				scheme := string(rune('a' + i))
				addLister(t, srv, scheme, func(context.Context, string) ([]mcptool.ResourceLink, string, error) {
					return links(scheme, size), "", nil
				})
			}
			addResource(t, srv, "fixed://x", func(context.Context, struct{}) (string, error) { return "x", nil })
			w, params, seen := open(t, srv), "", map[string]bool{}
			for i, want := range test.want {
				w.send(modern("1", "resources/list", params))
				var answer struct {
					Result struct {
						Resources  []struct{ URI string }
						NextCursor string
					}
				}
				decode(t, w.next(), &answer)
				for _, r := range answer.Result.Resources {
					seen[r.URI] = true
				}
				if got := answer.Result; len(got.Resources) != want || (got.NextCursor == "") != (i == len(test.want)-1) {
					t.Fatalf("page %d = %+v, want %d resources", i, got, want)
				}
				params = fmt.Sprintf(`,"cursor":%q`, answer.Result.NextCursor)
			}
			total := 1
			for _, size := range test.sizes {
				total += size
			}
			if len(seen) != total {
				t.Errorf("got %d different resources, want %d", len(seen), total)
			}
		})
	}
}

// TestListersCallInfo: the CallInfo of a lister has its template and the request.
func TestListersCallInfo(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	var got []string
	for _, scheme := range []string{"a", "b"} {
		addLister(t, srv, scheme, func(ctx context.Context, _ string) ([]mcptool.ResourceLink, string, error) {
			info := mcptool.Caller(ctx)
			got = append(got, info.Resource+" "+info.RequestID+" "+info.Principal)
			mcptool.Logger(ctx).Warn("listed")
			return nil, "", nil
		})
	}
	log := logged(srv, slog.LevelWarn)
	ask(t, srv, granted("ada", ""), &collector{}, "resources/list", "")
	if text := fmt.Sprint(got); text != `[a://{id} 1 ada b://{id} 1 ada]` || !strings.Contains(log.String(), `"resource":"b://{id}"`) {
		t.Errorf("CallInfo = %s; log = %s", text, log)
	}
}

// TestListerPages: each page of a lister is sent unchanged, even if it is empty; the first page also has the resources
// without variables.
func TestListerPages(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		list listFn
		want []int // page sizes
	}{
		{"larger than a page of the server", func(context.Context, string) ([]mcptool.ResourceLink, string, error) { return links("a", 25), "", nil }, []int{26}},
		{"exactly one page", func(context.Context, string) ([]mcptool.ResourceLink, string, error) { return links("a", 10), "", nil }, []int{11}},
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
					t.Fatalf("page %d = %+v, want %d resources", i, got, want)
				}
				if answer.Result.NextCursor != nil {
					params = fmt.Sprintf(`,"cursor":%q`, *answer.Result.NextCursor)
				}
			}
		})
	}
}

// TestListersOfSome: a caller that may not see a template does not see its resources, even with a cursor.
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

// TestAttachedMeta: the attached Meta of a tool is sent to clients that support the extension, in revisions with _meta in
// tools, and to no other client. The list is private.
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
		{"unsupported settings", `{"com.example/picky":{"v":"no"}}`, own},
		{"other", `{"com.example/other":{}}`, own},
	} {
		w := open(t, srv)
		for range 2 { // the second time from the cache
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

// TestListerRate: the rate limit of a resource also applies to listing its pages.
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
			t.Errorf("first list: got %s", got)
		}
		if got := list("ada"); !strings.Contains(got, "may be requested once per minute by one caller; request it again in 1m0s") {
			t.Errorf("second list: got %s, want a rate limit error", got)
		}
		if got := list("bob"); !strings.Contains(got, `"uri":"b://0"`) {
			t.Errorf("other caller: got %s", got)
		}
		time.Sleep(time.Minute)
		if got := list("ada"); !strings.Contains(got, `"uri":"b://0"`) {
			t.Errorf("a minute later: got %s", got)
		}
	})
}

// TestListerFailsLater: on later pages a failure is an error only if the page continues a lister, whose cursor may be
// invalid. Otherwise a client that reads all pages would lose the earlier ones.
func TestListerFailsLater(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	srv.Limits.ToolsPerPage = 1
	addLister(t, srv, "a", func(context.Context, string) ([]mcptool.ResourceLink, string, error) { return links("a", 1), "", nil })
	addLister(t, srv, "b", func(context.Context, string) ([]mcptool.ResourceLink, string, error) {
		return nil, "", errors.New("no such page")
	})
	w := open(t, srv)
	w.send(modern("1", "resources/list", ""))
	var first struct{ Result struct{ NextCursor string } }
	decode(t, w.want(`"uri":"a://0"`), &first)
	w.send(modern("2", "resources/list", fmt.Sprintf(`,"cursor":%q`, first.Result.NextCursor)))
	w.want(`"resources":[]`, `"uriTemplate":"b://{id}","message":"listing b://{id}: no such page"`)
	w.send(modern("3", "resources/list", `,"cursor":"`+base64.RawURLEncoding.EncodeToString([]byte(`under ["b://{id}","x"]`))+`"`))
	w.want(`"error":{"code":-32603,"message":"listing b://{id}: no such page"}`)
}
