package mcptooltest

import (
	"reflect"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// checkOwnTypes fails for mistakes in the types of the author's module that registration ignores. Registration cannot
// distinguish them from types of other modules.
func (r *report) checkOwnTypes(schemaOf ...*reflectschema.Schema) {
	for _, s := range schemaOf {
		if err := schemas.CheckOwn(s, isOwn); err != nil {
			r.fail(r.name + ": mistakes in types of this module, which registration ignores because the structs have no tag of reflectschema:\n    " + strings.ReplaceAll(err.Error(), "\n", "\n    "))
		}
	}
}

// isOwn reports whether a type belongs to the main module of the program.
func isOwn(t reflect.Type) bool { return inMainModule(t.PkgPath(), modules()) }

// modules returns the paths of the modules in the program, the main module first; nil if they are not known.
var modules = sync.OnceValue(func() (paths []string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	paths = append(paths, info.Main.Path)
	for _, m := range info.Deps {
		paths = append(paths, m.Path)
	}
	return paths
})

// inMainModule reports whether a package belongs to the first of the modules. The path of another module may begin with
// the path of that module.
func inMainModule(pkg string, modules []string) bool {
	pkg = strings.TrimSuffix(pkg, "_test")
	if pkg == "main" || pkg == "command-line-arguments" {
		return true
	}
	owner, longest := -1, -1
	for i, module := range modules {
		if strings.HasPrefix(pkg+"/", module+"/") && len(module) > longest {
			owner, longest = i, len(module)
		}
	}
	return owner == 0 && modules[0] != ""
}
