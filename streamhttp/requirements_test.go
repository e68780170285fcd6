package streamhttp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestInstances: a request that one instance of a server began can be completed by another.
func TestInstances(t *testing.T) {
	t.Parallel()
	t.Run("T-STATE-03 T-LIST-09", func(t *testing.T) {
		t.Parallel()
		var instances []*memory
		for range 3 {
			instances = append(instances, serve(t, fixtureServer(t, map[string]string{"tools": "add,echo,empty,hello,titled", "page": "2"})))
		}
		params, names := "", ""
		for request := range instances {
			body := bodyOf(t, instances[request].do(t.Context(), http.MethodPost, modern("1", "tools/list", params), heading("tools/list", "")))
			var answer struct {
				Result struct {
					Tools      []struct{ Name string }
					NextCursor string
				}
			}
			if err := json.Unmarshal([]byte(body), &answer); err != nil {
				t.Fatal(err)
			}
			for _, tool := range answer.Result.Tools {
				names += tool.Name + " "
			}
			params = fmt.Sprintf(`,"cursor":%q`, answer.Result.NextCursor)
		}
		if want := "add echo empty hello titled "; names != want {
			t.Errorf("listed %s, want %s", names, want)
		}
	})
}

// TestParallelPosts: concurrent requests of one session do not wait for each other.
func TestParallelPosts(t *testing.T) {
	t.Parallel()
	t.Run("T-HTTPL-27", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			client := serve(t, fixtureServer(t, nil)).begin("2025-06-18")
			began := time.Now()
			var mu sync.Mutex
			took := map[string]time.Duration{}
			var open sync.WaitGroup
			for id, body := range map[string]string{
				"1": request("1", "tools/call", `"name":"sleep","arguments":{"ms":3000}`),
				"2": request("2", "tools/call", `"name":"sleep","arguments":{"ms":1000}`),
				"3": reporting("3", "1000"),
				"4": request("4", "ping", ""),
			} {
				open.Go(func() {
					if body := bodyOf(t, client.send(t.Context(), body)); !strings.Contains(body, `"id":`+id+`,"result":{`) {
						t.Errorf("request %s: %s", id, body)
					}
					mu.Lock()
					defer mu.Unlock()
					took[id] = time.Since(began)
				})
			}
			open.Wait()
			if want := map[string]time.Duration{"1": 3 * time.Second, "2": time.Second, "3": 2 * time.Second, "4": 0}; fmt.Sprint(took) != fmt.Sprint(want) {
				t.Errorf("answered after %v, want %v", took, want)
			}
		})
	})
}

// TestHeadersOfArgumentsInSessions: Mcp-Param headers are ignored in sessions.
func TestHeadersOfArgumentsInSessions(t *testing.T) {
	t.Parallel()
	for _, version := range legacyVersions {
		client := serve(t, headerTool(t)).begin(version)
		for id, header := range map[string]string{"1": "", "2": "other"} {
			t.Run("T-XHDR-08 T-HTTPL-29 "+version+" header: "+header, func(t *testing.T) {
				t.Parallel()
				response := client.do(t.Context(), http.MethodPost, request(id, "tools/call", `"name":"route","arguments":{"region":"eu"}`),
					map[string]string{"Mcp-Session-Id": client.id, "Mcp-Param-Region": header, "Mcp-Name": header})
				if body := bodyOf(t, response); response.status != http.StatusOK || !strings.Contains(body, `"result":{"content":[]}`) {
					t.Errorf("status %d: %s", response.status, body)
				}
			})
		}
	}
}

// TestStreamsAreApart: a subscription and two concurrent calls each get only their own messages on their streams.
func TestStreamsAreApart(t *testing.T) {
	t.Parallel()
	t.Run("T-CHG-12 T-PROG-09 T-LOG-07", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			server := serve(t, fixtureServer(t, map[string]string{"log": "all"}))
			subscription := eventsOf(server.do(t.Context(), http.MethodPost, modern(`"s"`, "subscriptions/listen", `,"notifications":{"toolsListChanged":true}`), heading("subscriptions/listen", "")))
			subscription.want(t, "acknowledged")
			call := func(id, params, tool string) *events {
				body := modern(id, "tools/call", `,"name":"`+tool+`"`+params)
				body = strings.Replace(body, `"_meta":{`, `"_meta":{"io.modelcontextprotocol/logLevel":"error","progressToken":`+id+`,`, 1)
				return eventsOf(server.do(t.Context(), http.MethodPost, body, heading("tools/call", tool)))
			}
			const reports = `,"arguments":{"ms":1000,"reports":[{"done":1},{"done":2}]}`
			first, second := call("1", reports, "report"), call("2", reports, "report")
			logs := call("3", "", "log")
			for id, stream := range map[string]*events{"1": first, "2": second} {
				stream.want(t, `"progressToken":`+id+`,"progress":1}`)
				stream.want(t, `"progressToken":`+id+`,"progress":2}`)
				stream.want(t, `"id":`+id+`,"result":{`)
				stream.wantEnd(t)
			}
			logs.want(t, `"method":"notifications/message","params":{"level":"error"`)
			logs.want(t, `"id":3,"result":{`)
			logs.wantEnd(t)
			bodyOf(t, server.call(t.Context(), "learn", `{"add":["new"]}`))
			subscription.want(t, "notifications/tools/list_changed") // the first message
		})
	})
}
