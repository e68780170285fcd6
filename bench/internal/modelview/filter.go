package modelview

import (
	"cmp"
	"encoding/json"
	"sync"

	"github.com/mcptool-go/mcptool/bench/internal/proxy"
	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// Filter returns a filter that makes a server look as the client shows it to its model: in lists of tools, results of calls
// and instructions. In calls it restores the name that the server knows. It applies the rules to each page of a list separately.
// server is the name of the server in the configuration of the client; "" means its own name.
func (c *Client) Filter(server string) proxy.Filter {
	return (&filter{client: c, server: server, names: map[string]string{}}).pass
}

type filter struct {
	client *Client

	mu     sync.Mutex
	server string
	title  string
	names  map[string]string // of the server, by those for the model
}

func (f *filter) pass(d proxy.Direction, message json.RawMessage) json.RawMessage {
	m := jsondoc.Parse(message)
	f.mu.Lock()
	defer f.mu.Unlock()
	if d == proxy.ToServer {
		params := m.Get("params")
		name, isShown := f.names[params.Get("name").Text()]
		if m.Get("method").Text() != "tools/call" || !params.IsObject() || !isShown {
			return message
		}
		return m.With("params", params.With("name", jsondoc.String(name))).AppendTo(nil)
	}
	if shown := f.shown(m.Get("result")); shown != nil {
		return m.With("result", shown).AppendTo(nil)
	}
	return message
}

// shown returns the result that the model gets in place of a result of the server, nil if the client changes nothing. It recognizes
// the kind of a result by its members and not by the request, because several clients may use the same ids.
func (f *filter) shown(result *jsondoc.Value) *jsondoc.Value {
	for _, info := range []*jsondoc.Value{result.Get("serverInfo"), result.Get("_meta").Get("io.modelcontextprotocol/serverInfo")} {
		f.server = cmp.Or(f.server, info.Get("name").Text())
		f.title = cmp.Or(f.title, info.Get("title").Text())
	}
	switch {
	case result.Get("capabilities").IsObject():
		view := f.client.Show(Listing{Instructions: result.Get("instructions").Text()})
		if view.Instructions == result.Get("instructions").Text() {
			return nil
		}
		return result.With("instructions", jsondoc.String(view.Instructions))
	case result.Get("tools").IsArray():
		list := Listing{Server: f.server, Title: f.title}
		for _, tool := range result.Get("tools").Items {
			list.Tools = append(list.Tools, tool.AppendTo(nil))
		}
		tools := jsondoc.Array()
		for _, t := range f.client.Show(list).Tools {
			if t.Definition != nil {
				f.names[t.Shown] = t.Name
				tools.Items = append(tools.Items, jsondoc.Parse(t.Definition))
			}
		}
		if !f.client.readsPages() {
			result = result.Without("nextCursor")
		}
		return result.With("tools", tools)
	case result.Get("content").IsArray():
		return jsondoc.Parse(f.client.Result(result.AppendTo(nil)))
	default:
		return nil
	}
}
