package streamhttp

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/engine"
)

// Bounds for the names in the selection of one request.
const maxSelectedNames, maxSelectedBytes = 1000, 32 << 10

// SelectByRequest lets clients select a part of what the server offers ([runtime.Selection]), with headers or with parameters
// of the query of the URL:
//
//	X-MCP-Toolsets       toolsets        Groups, separated by commas
//	X-MCP-Tools          tools           Tools
//	X-MCP-Exclude-Tools  exclude_tools   Except
//	X-MCP-Readonly       readonly        ReadOnly: true or false
//
// All values add up. They only narrow what the server selects ([runtime.Server.Select]). A name that does not exist selects
// nothing, and is logged once. More than 1000 names, or 32 KiB of names, another value of readonly that is not empty, or a query
// that is not valid get status 400. A session keeps the selection of its first request, also when it is resumed; with more than
// about 300 bytes of names, another process cannot resume it, because its id is bounded. Lists have private cache scope. By
// default clients cannot select.
func SelectByRequest() Option { return option(func(c *config) { c.selects = true }) }

// selectionOf returns the selection of a request.
func selectionOf(r *http.Request) (*engine.Selection, *httpError) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil { // a parameter that is left out would widen what the request selects
		return nil, newError(http.StatusBadRequest, "the query of the URL cannot be read: "+err.Error())
	}
	values := func(header, param string) []string { return slices.Concat(r.Header[header], query[param]) }
	s, names, size := new(engine.Selection), 0, 0
	for to, texts := range map[*[]string][]string{
		&s.Groups: values("X-Mcp-Toolsets", "toolsets"),
		&s.Tools:  values("X-Mcp-Tools", "tools"),
		&s.Except: values("X-Mcp-Exclude-Tools", "exclude_tools"),
	} {
		for name := range strings.SplitSeq(strings.Join(texts, ","), ",") {
			if name = strings.TrimSpace(name); name == "" {
				continue
			}
			if names, size = names+1, size+len(name); names > maxSelectedNames || size > maxSelectedBytes {
				return nil, newError(http.StatusBadRequest, fmt.Sprintf("the headers X-MCP-Toolsets, X-MCP-Tools and X-MCP-Exclude-Tools, and parameters like them, have more than %d names or %d bytes", maxSelectedNames, maxSelectedBytes))
			}
			*to = append(*to, name)
		}
	}
	for _, text := range values("X-Mcp-Readonly", "readonly") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		readOnly, err := strconv.ParseBool(text)
		if err != nil {
			return nil, newError(http.StatusBadRequest, "the header X-MCP-Readonly or the parameter readonly is "+quoted(text)+"; write true or false")
		}
		s.ReadOnly = s.ReadOnly || readOnly
	}
	return s, nil
}

// selectionSize returns the memory of the names of a selection, which may be nil, in bytes.
func selectionSize(s *engine.Selection) (size int) {
	if s != nil {
		for _, name := range slices.Concat(s.Groups, s.Tools, s.Except) {
			size += 16 + len(name) // with the header of the string
		}
	}
	return size
}
