package doccomment

import (
	"cmp"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/internal/walk"
)

// A name is a type or func at package level.
type name struct{ pkgPath, ident string }

// comments are the comments of a type or func.
type comments struct {
	text      string
	members   map[string]string // of fields and methods
	constants [][2]string       // value and comment of each constant of a string type, in the order of declaration
}

// get returns the comment of a member, or of the type or func itself if there is no member.
func (c *comments) get(member string) string {
	if member == "" {
		return c.text
	}
	return c.members[member]
}

// A declaration is one of a func, or of a field or method of a type.
type declaration struct {
	name
	member string // "" for a func
}

// uncommented contains the declarations that have been used without a comment.
var uncommented sync.Map

var registered = struct {
	sync.RWMutex
	byName map[name]*comments
}{byName: map[name]*comments{}}

// Register registers pairs of a name and its comment. Before # is the import path of a package, or
// nothing for the package that declares C, a defined type. After it is a func, a type, a field, a
// method, or the value of a constant of a string type, in the order of declaration; these have a
// comment or "". Other pairs have no effect.
//
// If the comments of a type or func are registered more than once, the first are used: Go
// initializes the package itself before the packages that import it. They must be registered before
// the type or func is used: Register panics with a [reflectschema.TypeErrors] if a type of the
// package of C has been compiled before, or a func has become a tool, a prompt or a resource.
//
// Register is safe for concurrent use. The result has no meaning; it permits the call in a
// declaration.
func Register[C ~[][2]string](pairs C) struct{} {
	own := reflect.TypeFor[C]().PkgPath()
	byName := parse(own, pairs)
	if late := usedIn(own, byName); late != nil {
		panic(late) //nolint:forbidigo // as RegisterEnum does: a declaration cannot handle an error
	}
	registered.Lock()
	defer registered.Unlock()
	for n, c := range byName {
		if registered.byName[n] == nil {
			registered.byName[n] = c
		}
	}
	return struct{}{}
}

// parse returns the comments in pairs by the names of their types and funcs.
func parse(own string, pairs [][2]string) map[name]*comments {
	byName := map[name]*comments{}
	for _, pair := range pairs {
		pkgPath, rest, _ := strings.Cut(pair[0], "#")
		rest, value, isConstant := strings.Cut(rest, "=")
		ident, member, isMember := strings.Cut(rest, ".")
		n := name{cmp.Or(pkgPath, own), ident}
		c := byName[n]
		if c == nil {
			c = &comments{members: map[string]string{}}
			byName[n] = c
		}
		switch {
		case isConstant:
			c.constants = append(c.constants, [2]string{value, pair[1]})
		case isMember:
			c.members[member] = pair[1]
		default:
			c.text = pair[1]
		}
	}
	return byName
}

// usedIn returns an error for each type, func and method of a package that has comments, but was
// used without them.
func usedIn(pkgPath string, byName map[name]*comments) error {
	var late []private.TypeMistake
	types := map[name]bool{}
	add := func(name string) {
		late = append(late, private.TypeMistake{
			Type: name, Reason: "its comments are registered after its first use",
			Fix: "use it in a func, such as main or init, not in the declaration of a variable in a file that precedes the one with the comments",
		})
	}
	walk.CompiledTypes.Range(func(key, _ any) bool {
		t := key.(reflect.Type) //nolint:errcheck,forcetypeassert // all keys are types
		if n := nameOf(t); n.pkgPath == pkgPath && byName[n] != nil {
			types[n] = true
			add(t.String())
		}
		return true
	})
	uncommented.Range(func(key, _ any) bool {
		d := key.(declaration) //nolint:errcheck,forcetypeassert // all keys are declarations
		if c := byName[d.name]; d.pkgPath == pkgPath && !types[d.name] && c != nil && c.get(d.member) != "" {
			add(strings.TrimSuffix(path.Base(pkgPath)+"."+d.ident+"."+d.member, "."))
		}
		return true
	})
	if late == nil {
		return nil
	}
	slices.SortFunc(late, func(a, b private.TypeMistake) int { return strings.Compare(a.Type, b.Type) })
	return reflectschema.Internal(private.Key{}).TypeErrors(late)
}

// nameOf returns the name of a type. An instance of a generic type has the name of the generic
// type.
func nameOf(t reflect.Type) name {
	ident, _, _ := strings.Cut(t.Name(), "[")
	return name{t.PkgPath(), ident}
}
