package skills

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// ID identifies the extension.
const ID = "io.modelcontextprotocol/skills"

// Limits of one skill, including everything below its directory. Hosts need not load a larger one.
const (
	// MaxFiles is the maximum number of files.
	MaxFiles = 512
	// MaxBytes is the maximum size of all files together.
	MaxBytes = 16 << 20
	// MaxFileBytes is the maximum size of one file: as base64 it fits into a result with the default limits of a server.
	MaxFileBytes = 8 << 20
)

// Source is a tree of files with skills.
type Source struct {
	// FS is the tree. Files and directories whose names begin with a dot, and files that do not belong to a skill, are
	// left out. A SKILL.md in the root makes the whole tree one skill.
	FS fs.FS
	// Options apply to the resource of each file, such as [mcptool.Scopes], [mcptool.VisibleIf], [mcptool.RateLimit]
	// and [mcptool.Audience]. If the resources do not exist for a caller, the skills do not appear in its lists. But a
	// read by a caller who only lacks scopes may be answered with these scopes, so that the client can request them: to
	// hide that a skill exists, use VisibleIf. Options that describe a single resource are not allowed, or are set by
	// this package: Name, Title, Description, Icons, Meta, URI, MIMEType, Size and Verbatim.
	Options []mcptool.ResourceOption
}

// FromFS returns the extension that serves the skills of a tree, to be added to [runtime.Server.Extensions]. The
// options are the Options of a [Source].
//
// The error lists all mistakes, each with file, line and fix: frontmatter that is missing, is not YAML, or lacks a name
// or description; values that YAML 1.1 reads differently, such as a plain yes or a date, and texts with invisible
// characters; a name that differs from the name of the directory; file names that cannot be part of a URI; symbolic
// links; more than [MaxFiles] or [MaxBytes]; and a tree without skills. Nothing is read later, so fsys may become
// unavailable.
func FromFS(fsys fs.FS, opts ...mcptool.ResourceOption) (runtime.Extension, error) {
	return FromSources(Source{FS: fsys, Options: opts})
}

// MustFromFS is like [FromFS], but panics if that returns an error. Use it for skills that are embedded in the program.
func MustFromFS(fsys fs.FS, opts ...mcptool.ResourceOption) runtime.Extension {
	extension, err := FromFS(fsys, opts...)
	if err != nil {
		panic(err) //nolint:forbidigo // as the doc comment states
	}
	return extension
}

// FromSources is like [FromFS] for several trees, whose skills have different options or locations. It is a mistake if
// two trees have the same URI.
func FromSources(sources ...Source) (runtime.Extension, error) {
	s := &server{byURI: map[string]*skill{}, directories: map[string]*directory{}, files: map[string]*file{}}
	var mistakes mistakes
	for i, source := range sources {
		in := fmt.Sprintf("source %d: ", i+1)
		if len(sources) == 1 {
			in = ""
		}
		t := tree{source: source, mistakes: &mistakes, in: in}
		s.add(t.read(), &mistakes)
	}
	if err := mistakes.err(); err != nil {
		return runtime.Extension{}, err
	}
	s.finish()
	return s.extension(), nil
}

// mistakes collects the mistakes of the author.
type mistakes struct {
	all  []error
	seen map[string]bool
}

// add adds a mistake: the location, the reason, and the fix. Duplicates are ignored.
func (m *mistakes) add(where, reason, fix string) {
	text := fmt.Sprintf("%s: %s; %s", where, reason, fix)
	if m.seen == nil {
		m.seen = map[string]bool{}
	}
	if !m.seen[text] {
		m.seen[text] = true
		m.all = append(m.all, errors.New(text))
	}
}

// maxMistakes is the maximum number of mistakes that are listed.
const maxMistakes = 50

// err returns the mistakes as an error; nil if there are none.
func (m *mistakes) err() error {
	list := m.all
	if more := len(list) - maxMistakes; more > 0 {
		list = append(list[:maxMistakes:maxMistakes], fmt.Errorf("and %d more", more))
	}
	if len(list) == 0 {
		return nil
	}
	return fmt.Errorf("skills: %w", errors.Join(list...))
}
