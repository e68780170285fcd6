package repotest_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/mcptool-go/mcptool"

type room struct {
	name   string
	may    []string
	reason string
}

// rooms lists the packages that each room may import. A room that is not listed here may not exist; a room imports only
// rooms above it.
var rooms = []room{
	{"internal", []string{"internal", "internal/private"}, "helpers know none of the rooms they serve"},
	{"internal/private", nil, "its key opens the unexported parts of packages, for those that list it here"},
	{"internal/testing", []string{"internal/testing"}, "test support knows none of the rooms that it tests; only tests import it"},
	{"internal/testing/fixture", []string{"runtime", "runtime/tasks", "mcptool"}, "it is the server that tests of several rooms share; only tests import it"},
	{"internal/hostile/worst", []string{"stdio", "runtime", "mcptool", "reflectschema", "reflectschema/samples", "internal", "internal/private"}, "it is servers that are sent the worst, and nobody imports it"},
	{"internal/schemacompare", []string{"internal/schemacompare", "internal"}, "it compares documents, and no Go types"},
	{"internal/compat", []string{"internal/compat", "internal/schemacompare", "reflectschema", "internal"}, "it compares what clients are shown, with the authority as its judge"},
	{"internal/transcript", []string{"internal/transcript", "internal"}, "it compares messages of any server, over a connection that its caller opens"},
	{"internal/notify", []string{"mcptool", "internal", "internal/private"}, "notices come from the registry, and go to whoever serves clients"},
	{"internal/interop", []string{"extension", "stdio", "streamhttp", "runtime", "runtime/tasks", "mcptool"}, "it is servers that the official clients run, and nobody imports"},
	{"reflectschema", []string{"reflectschema", "reflectschema/internal/walk", "reflectschema/internal/tag", "reflectschema/internal/codec", "reflectschema/internal/rules", "reflectschema/internal/authority", "reflectschema/internal/vet", "reflectschema/internal/placeholder", "reflectschema/internal/show", "internal", "internal/private"}, "schemas know nothing of MCP"},
	{"reflectschema/samples", []string{"reflectschema", "reflectschema/internal/codec", "reflectschema/internal/authority", "reflectschema/internal/placeholder", "reflectschema/internal/show", "internal", "internal/private"}, "servers show placeholders, and make no samples"},
	{"reflectschema/doccomment", []string{"reflectschema", "reflectschema/internal/walk", "internal", "internal/private"}, "only the generated files of programs link it"},
	{"reflectschema/datetime", nil, "its types know nothing of schemas; only programs that use them link it"},
	{"reflectschema/wellknown", []string{"reflectschema", "reflectschema/internal/walk", "reflectschema/internal/tag", "internal", "internal/private"}, "only programs that use types of other modules link it"},
	{"reflectschema/lint", []string{"reflectschema", "reflectschema/internal/rules", "reflectschema/internal/authority", "reflectschema/internal/vet", "reflectschema/internal/show", "internal", "internal/private"}, "what clients make of schemas is no part of making them"},
	{"reflectschema/internal/walk", []string{"reflectschema/internal/tag", "reflectschema/internal/codec", "reflectschema/internal/show", "internal", "internal/private"}, "types are walked before there is a schema to check anything with"},
	{"reflectschema/internal/tag", []string{"reflectschema/internal/codec", "reflectschema/internal/vet", "reflectschema/internal/rules", "reflectschema/internal/authority", "reflectschema/internal/show", "internal", "internal/private"}, "tags are read for one field at a time"},
	{"reflectschema/internal/codec", []string{"reflectschema/internal/rules", "reflectschema/internal/authority", "reflectschema/internal/show", "internal", "internal/private"}, "values are decoded and encoded by nodes and rules, wherever those are from"},
	{"reflectschema/internal/vet", []string{"reflectschema/internal/authority", "reflectschema/internal/show", "internal"}, "mistakes of authors are found in documents, and no Go types"},
	{"reflectschema/internal/placeholder", []string{"reflectschema/internal/show", "internal"}, "values are made for documents, and no Go types"},
	{"reflectschema/internal/rules", []string{"reflectschema/internal/authority", "internal"}, "checks know documents and JSON text, and no Go types"},
	{"reflectschema/internal/authority", []string{"reflectschema/internal/show", "internal"}, "the validator knows documents and values, and no Go types"},
	{"reflectschema/internal/show", []string{"internal"}, "it writes values for people"},
	{"internal/ask", []string{"internal", "internal/private"}, "requests to clients are made by tools, and sent by servers"},
	{"mcptool", []string{"mcptool", "reflectschema", "internal", "internal/private", "internal/ask"}, "tools run without a server"},
	{"mcptool/mcptooltest", []string{"mcptool/mcptooltest", "mcptool", "runtime", "runtime/tasks", "streamhttp", "reflectschema", "reflectschema/samples", "internal", "internal/private", "internal/ask", "internal/compat", "internal/transcript"}, "tests of tools run them through the engine, and over HTTP; only tests import it"},
	{"task", []string{"task", "internal"}, "stores of tasks know nothing of what runs them"},
	{"integrations/boltstore", []string{"internal", "task"}, "a store knows tasks and its file; it is a module of its own"},
	{"integrations/cobra", []string{"internal", "internal/private", "mcptool", "reflectschema", "runtime", "stdio"}, "it makes tools of commands, and a command that serves them; it is a module of its own"},
	{"integrations/copytasks", []string{"task", "integrations/boltstore", "integrations/jetstream", "integrations/jetstream/embedded"}, "it is a command that moves tasks between the stores, which do not know each other; it is a module of its own"},
	{"internal/hosting", []string{"internal", "internal/private", "mcptool", "runtime"}, "it passes the requests of other frameworks to the engine, for their integrations"},
	{"internal/testing/hosting", []string{"mcptool", "runtime", "runtime/tasks", "stdio"}, "it compares our server with those of other frameworks; only tests import it"},
	{"integrations/gosdk", []string{"integrations/gosdk", "internal", "internal/hosting", "internal/private", "mcptool", "reflectschema", "runtime"}, "it passes requests to the engine, as the transports do; it is a module of its own"},
	{"integrations/jwtauth", []string{"internal", "streamhttp"}, "it verifies tokens for the transport, shares its requests among callers as servers do, and knows no protocol; it is a module of its own"},
	{"integrations/jwtauth/jwtauthtest", nil, "it issues tokens for tests, and knows only their format; tests import it"},
	{"integrations/mcpgo", []string{"integrations/mcpgo", "internal", "internal/hosting", "internal/private", "mcptool", "runtime"}, "it passes requests to the engine, as the transports do; it is a module of its own"},
	{"integrations/oauthproxy", []string{"internal", "streamhttp"}, "it issues the tokens that a transport verifies, and seals them as servers seal state; it is a module of its own"},
	{"integrations/otelmcp", []string{"mcptool", "runtime/observe"}, "it is an observer like any other; it is a module of its own"},
	{"integrations/protobuf", []string{"reflectschema"}, "it registers types, and knows no protocol; it is a module of its own"},
	{"integrations/mcptoolvet", []string{"integrations/mcptoolvet", "internal", "internal/private", "mcptool", "reflectschema", "reflectschema/datetime", "reflectschema/wellknown"}, "it runs the checks of registration on source code; it is a module of its own"},
	{"integrations/jetstream/internal", nil, "it is what jetstream and embedded share"},
	{"integrations/jetstream/embedded", []string{"internal", "integrations/jetstream", "integrations/jetstream/internal"}, "it adds a NATS server in the process to jetstream"},
	{"integrations/jetstream", []string{"internal", "task", "runtime/bus", "integrations/jetstream/internal"}, "it implements the interfaces of tasks and notices for NATS; it is a module of its own"},
	{"runtime", []string{"runtime/internal/respond", "runtime/internal/connection", "runtime/internal/wire", "runtime/internal/taskengine", "runtime/observe", "internal/notify", "mcptool", "reflectschema", "task", "internal", "internal/private", "internal/ask"}, "the protocol knows no transport"},
	{"runtime/observe", nil, "an observer knows what happens, and not the server"},
	{"runtime/internal/connection", []string{"runtime/internal/respond", "mcptool", "internal"}, "a connection runs calls without knowing what they call"},
	{"runtime/internal/respond", []string{"runtime/internal/wire", "internal"}, "the order of messages does not depend on what they say"},
	{"runtime/observe/audit", []string{"mcptool", "runtime/observe"}, "it is an observer like any other; only programs that want the log link it"},
	{"runtime/internal/wire", []string{"mcptool", "reflectschema", "task", "internal", "internal/private", "internal/ask"}, "JSON is written and read without knowing whose it is"},
	{"runtime/tasks", []string{"runtime/internal/taskengine", "runtime/internal/taskserver", "task", "internal/private"}, "it gives a server its tasks, and only programs with tasks link it"},
	{"runtime/bus", []string{"runtime/internal/busclient", "internal/notify", "internal/private"}, "it connects a server to a Bus, and only programs with a Bus link it"},
	{"runtime/internal/busclient", []string{"internal/notify", "internal"}, "only servers with a Bus link it, so package runtime does not import it"},
	{"runtime/internal/taskengine", []string{"runtime/internal/respond", "runtime/internal/wire", "runtime/observe", "mcptool", "task", "internal"}, "it declares what the server and the code that runs tasks know of each other"},
	{"runtime/internal/taskserver", []string{"runtime/internal/taskengine", "runtime/internal/tasks", "runtime/internal/connection", "runtime/internal/respond", "runtime/internal/wire", "runtime/observe", "mcptool", "task", "internal", "internal/private"}, "only servers with tasks link it, so package runtime does not import it"},
	{"runtime/internal/tasks", []string{"runtime/internal/taskengine", "runtime/internal/wire", "task", "internal"}, "a task knows its record, and not the call that runs its tool"},
	{"stdio", []string{"stdio", "runtime", "mcptool", "internal", "internal/private"}, "a transport knows no schemas"},
	{"streamhttp", []string{"streamhttp", "runtime", "mcptool", "internal", "internal/private"}, "a transport knows no schemas"},
	{"extension", []string{"runtime", "mcptool", "reflectschema", "task", "internal"}, "extensions of the protocol stand on what a stranger's could stand on"},
	{"internal/measure", []string{"internal/measure", "internal"}, "the client and the load generator of bench and internal/lab work with any server; it is a module of its own"},
	{"bench/internal/openapi/client", []string{"mcptool", "reflectschema"}, "it is copied into the packages that bench import writes, which import what users can import"},
	{"bench/internal/openapi", []string{"reflectschema", "reflectschema/datetime", "bench/internal/openapi", "internal"}, "it writes Go source, whose tags it tries with reflectschema"},
	{"bench", []string{"bench", "bench/internal/openapi", "internal/measure", "internal/compat", "internal/transcript", "reflectschema", "reflectschema/lint", "reflectschema/samples", "internal"}, "the command reads any server, with no part of ours; it is a module of its own"},
	{"internal/lab", []string{"internal/lab", "internal/measure", "mcptool", "runtime", "runtime/tasks", "runtime/observe/audit", "stdio", "streamhttp", "reflectschema", "reflectschema/samples", "internal", "internal/private", "integrations/boltstore", "integrations/jwtauth"}, "measurements and comparisons import everything, and nobody imports them; it is a module of its own"},
	{"examples/orders", []string{"mcptool", "reflectschema", "runtime", "runtime/tasks", "runtime/observe", "runtime/observe/audit", "stdio", "streamhttp", "extension", "integrations/boltstore", "integrations/jwtauth", "integrations/otelmcp"}, "it is a complete server with a database; it is a module of its own"},
	{"examples/gitlab", []string{"mcptool", "reflectschema", "runtime", "stdio"}, "it wraps the client of an API; it is a module of its own"},
	{"examples/fleet", []string{"mcptool", "runtime", "runtime/bus", "runtime/tasks", "streamhttp", "integrations/jetstream", "integrations/jetstream/embedded"}, "it is a server of several instances; it is a module of its own"},
	{"examples", []string{"examples", "mcptool", "reflectschema/datetime", "reflectschema/doccomment", "runtime", "runtime/tasks", "runtime/observe", "runtime/observe/audit", "extension", "task", "stdio", "streamhttp"}, "examples use what users can use"},
}

// TestLayers compares every import in non-test code with rooms and restricts where reflect and unsafe may be imported.
func TestLayers(t *testing.T) {
	seen := 0
	walkGo(t, func(path string) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		seen++
		name := roomOf(filepath.ToSlash(path))
		i := slices.IndexFunc(rooms, func(r room) bool { return r.name == name })
		if i < 0 {
			t.Errorf("%s: %q is no room of this house; add it to rooms in layers_test.go", path, name)
			return
		}
		for _, imp := range importsOf(t, path) {
			switch own, isOwn := strings.CutPrefix(imp, module+"/"); {
			case imp == "unsafe":
				t.Errorf("%s imports unsafe, which is allowed nowhere", path)
			case imp == "reflect" && !mayReflect(filepath.ToSlash(path)):
				t.Errorf("%s imports reflect, which lives in reflectschema and mcptool only, and in what tests them", path)
			case isOwn:
				if to := roomOf(own); !slices.Contains(rooms[i].may, to) {
					t.Errorf("%s imports %s; %s may import %v, because %s", path, imp, name, rooms[i].may, rooms[i].reason)
				}
			}
		}
	})
	if seen == 0 {
		t.Skip("no Go files beside the tests yet")
	}
}

// roomRow matches a row of the table of rooms in internal/README.md: the room, and the packages that it may import.
var roomRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| [^|]+ \\|([^|]*)\\|$")

// TestLayersAreDocumented compares rooms with the table in internal/README.md. A row whose imports are described in words, such
// as "everything", is not compared, and one row describes all integrations.
func TestLayersAreDocumented(t *testing.T) {
	text, err := os.ReadFile("internal/README.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{} // room to imports
	for _, row := range roomRow.FindAllStringSubmatch(string(text), -1) {
		documented[row[1]] = row[2]
	}
	names := regexp.MustCompile("`([^`]+)`")
	for _, r := range rooms {
		row := r.name
		switch {
		case r.name == "internal", r.name == "internal/testing":
			row += "/<noun>"
		case r.name == "extension":
			row += "/<name>"
		case strings.HasPrefix(r.name, "integrations/"):
			row = "integrations/<name>"
		}
		imports, ok := documented[row]
		if !ok {
			t.Errorf("internal/README.md has no row for the room %s", r.name)
			continue
		}
		if strings.Trim(names.ReplaceAllString(imports, ""), ", ") != "" || row != r.name {
			continue
		}
		var got, want []string
		for _, name := range names.FindAllStringSubmatch(imports, -1) {
			got = append(got, name[1])
		}
		for _, name := range r.may {
			if name != r.name && name != "internal/private" {
				want = append(want, name)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("internal/README.md: %s may import %v, want %v", r.name, got, want)
		}
	}
}

// mayReflect reports whether the file at a path, relative to the module root, may import reflect.
func mayReflect(path string) bool {
	switch roomOf(path) {
	case "reflectschema", "reflectschema/samples", "reflectschema/doccomment", "reflectschema/wellknown", "reflectschema/internal/walk", "reflectschema/internal/tag", "reflectschema/internal/codec", "reflectschema/internal/authority", "mcptool", "mcptool/mcptooltest", "integrations/cobra", "integrations/gosdk", "integrations/mcpgo", "integrations/mcptoolvet",
		"bench/internal/openapi", "bench/internal/openapi/client": // tries tags with types; finds files in values
		return true
	}
	for _, dir := range []string{
		"internal/comment/",            // finds the names of types
		"internal/lab/crosscheck/",     // generates types that test reflectschema
		"internal/lab/foreigntypes/",   // tests reflectschema with types of other modules
		"internal/lab/verdicts/",       // generates types that test reflectschema
		"internal/measure/strictjson/", // encoding/json ignores the case of member names, and its errors name no array elements
	} {
		if strings.HasPrefix(path, dir) {
			return true
		}
	}
	return false
}

// roomOf returns the innermost room that contains a path relative to the module root, or its first directory if there
// is none.
func roomOf(path string) string {
	longest := ""
	for _, r := range rooms {
		if (path == r.name || strings.HasPrefix(path, r.name+"/")) && len(r.name) > len(longest) {
			longest = r.name
		}
	}
	if longest != "" {
		return longest
	}
	name, _, _ := strings.Cut(path, "/")
	return name
}

// walkGo calls fn with the path of every Go file, relative to the module root.
func walkGo(t *testing.T, fn func(path string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || (d.Name() != "." && strings.HasPrefix(d.Name(), "."))):
			return filepath.SkipDir
		case !d.IsDir() && strings.HasSuffix(path, ".go") && strings.Contains(path, string(filepath.Separator)):
			fn(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func importsOf(t *testing.T, path string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var imports []string
	for _, spec := range file.Imports {
		imp, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		imports = append(imports, imp)
	}
	return imports
}
