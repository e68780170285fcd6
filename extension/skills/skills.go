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

// Limits of one skill, with all that is below its directory. Hosts need not load a larger one.
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
	// FS is the tree. Files and directories whose names begin with a dot are left out, and so are files that belong to no
	// skill. A SKILL.md in the root makes the whole tree one skill.
	FS fs.FS
	// Options apply to the resource of each file, such as [mcptool.Scopes], [mcptool.VisibleIf], [mcptool.RateLimit] and
	// [mcptool.Audience]. A caller for whom the resources do not exist sees no sign of the skills; but a read
	// by one who only lacks scopes may be answered with those, so that the client can request them: to hide that a skill
	// exists, use VisibleIf. The options that describe a
	// single resource are set by this package, or have no place here: Name, Title, Description, Icons, Meta, URI, MIMEType,
	// Size and Verbatim.
	Options []mcptool.Option
}

// FromFS returns the extension that serves the skills of a tree, to be added to [runtime.Server.Extensions]. The options are
// those of [Source].
//
// The error lists all mistakes, each with file, line and what to do about it: frontmatter that is missing, is no YAML or has no
// name or description; values that YAML 1.1 reads differently, such as a plain yes or a date, and texts with characters
// that are not shown; a name that is not that of the directory; names of files that cannot be part of a URI; symbolic links;
// more than [MaxFiles] or [MaxBytes]; and a tree without skills. Nothing is read later, so the tree may go away.
func FromFS(fsys fs.FS, opts ...mcptool.Option) (runtime.Extension, error) {
	return FromSources(Source{FS: fsys, Options: opts})
}

// MustFromFS is like [FromFS], but panics if that returns an error. It is for programs whose skills are embedded.
func MustFromFS(fsys fs.FS, opts ...mcptool.Option) runtime.Extension {
	extension, err := FromFS(fsys, opts...)
	if err != nil {
		panic(err) //nolint:forbidigo // that is what Must means
	}
	return extension
}

// FromSources is like [FromFS] for several trees, whose skills need different options, or come from different places. A URI
// that two trees have is a mistake.
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

// mistakes are those of an author.
type mistakes struct {
	all  []error
	seen map[string]bool
}

// add adds a mistake: where it is, what is wrong, and what to do. The same one is added once.
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

// maxMistakes is how many mistakes are listed.
const maxMistakes = 50

// err returns the mistakes, nil if there are none.
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
