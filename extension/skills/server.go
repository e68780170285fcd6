package skills

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// cacheTTL is how long clients may cache lists and entries of skills, which do not change while the server runs. It is
// also how long they may take to notice a new version of the server.
const cacheTTL = 5 * time.Minute

// server answers the methods. It is immutable once it is in use.
type server struct {
	skills      []*skill // by URI
	byURI       map[string]*skill
	directories map[string]*directory // by URI
	files       map[string]*file      // by URI
}

// add adds the skills of a tree.
func (s *server) add(all []*skill, mistakes *mistakes) {
	for _, k := range all {
		if s.byURI[k.uri()] != nil {
			mistakes.add(k.uri(), "two sources have this skill", "rename one of them")
		}
		s.skills = append(s.skills, k)
		s.byURI[k.uri()] = k
		for _, dir := range k.directories {
			s.directory(dir).of(k)
		}
		for dir := path.Dir(k.path); dir != "."; dir = path.Dir(dir) {
			s.directory(dir).of(k)
		}
		for _, f := range k.files {
			switch s.files[f.uri()] {
			case nil:
				s.files[f.uri()] = f
				d := s.directory(path.Dir(f.path))
				d.files = append(d.files, f)
			case f: // also a file of a skill around this one
			default:
				mistakes.add(f.uri(), "two sources have this file", "rename one of them")
			}
		}
	}
}

// finish sorts the skills and encodes the lists.
func (s *server) finish() {
	slices.SortFunc(s.skills, func(a, b *skill) int { return strings.Compare(a.uri(), b.uri()) })
	for _, d := range s.directories {
		d.finish()
	}
}

// resources returns the resources of all files, sorted by URI.
func (s *server) resources() []*mcptool.Resource {
	list := make([]*mcptool.Resource, 0, len(s.files))
	for _, uri := range slices.Sorted(maps.Keys(s.files)) {
		list = append(list, s.files[uri].resource)
	}
	return list
}

// extension returns the extension.
func (s *server) extension() runtime.Extension {
	hint := &runtime.CacheHint{TTL: cacheTTL}
	return runtime.Extension{
		ID:        ID,
		Settings:  map[string]bool{"directoryRead": true},
		Resources: s.resources(),
		Methods: []runtime.Method{
			{Name: "skills/list", Cache: hint, Handle: runtime.Typed(s.list)},
			{Name: "skills/get", Cache: hint, Handle: runtime.Typed(s.get)},
			{Name: "resources/directory/read", Handle: runtime.Typed(s.readDirectory)},
		},
	}
}

type (
	listIn struct {
		Cursor *string `json:"cursor,omitzero"`
	}
	listOut struct {
		Skills     []json.RawMessage `json:"skills"`
		NextCursor string            `json:"nextCursor,omitzero"`
	}
	getIn struct {
		URI *string `json:"uri,omitzero"`
	}
	getOut struct {
		Skill json.RawMessage `json:"skill"`
	}
)

// list answers skills/list.
func (s *server) list(ctx context.Context, in listIn) (listOut, error) {
	var entries []json.RawMessage
	for _, k := range s.skills {
		if k.isVisible(ctx) {
			entries = append(entries, k.entry)
		}
	}
	page, next, err := runtime.Page(ctx, entries, uriIn, in.Cursor)
	return listOut{page, next}, err
}

// uriIn returns the URI of an entry, its first member.
func uriIn(entry json.RawMessage) string {
	scan := rawjson.New(entry, 0)
	scan.OpenObject()
	scan.Member()
	return string(rawjson.Unquote(scan.Value()))
}

// get answers skills/get.
func (s *server) get(ctx context.Context, in getIn) (getOut, error) {
	if in.URI == nil {
		return getOut{}, missingURI()
	}
	k := s.byURI[*in.URI]
	if k == nil || !k.isVisible(ctx) {
		return getOut{}, unknown(*in.URI, "no skill at %s; pass the URI of a SKILL.md from skills/list")
	}
	return getOut{k.entry}, nil
}

func missingURI() error {
	return &runtime.Error{Code: runtime.CodeInvalidParams, Message: "params.uri is missing"}
}

// unknown returns the error for a URI that does not exist.
func unknown(uri, format string) error {
	return &runtime.Error{Code: runtime.CodeInvalidParams, Message: fmt.Sprintf(format, uri), Data: map[string]string{"uri": uri}}
}
