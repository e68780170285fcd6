package apps

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"strings"

	"github.com/mcptool-go/mcptool/mcptool"
)

// View is the option that gives a tool a view: the HTML document with this name in fsys, which View reads at once. The
// opts are requests to the host. A tool has at most one view; several tools may share one.
//
// The document is a whole HTML5 document in UTF-8 that begins with its doctype. It is a resource of the registry that
// the tool is in, with the URI ui://chart/chart-3f2a91c04be7d65a.html if its name is chart.html: the hash depends on
// the document and the options. Every caller of the server can read it, even without permission to call the tool, so it
// must not contain secrets. It is sent unchanged, without the server's redaction.
//
// It is a mistake if the file cannot be read or is not such a document, if an option is not valid, or if an element of
// the document loads something that the host would block: see the documentation of the package.
func View(fsys fs.FS, name string, opts ...ViewOption) mcptool.ToolOption {
	attachment := mcptool.Attachment{Extension: extension}
	mistake := func(reason, fix string) {
		attachment.Mistakes = append(attachment.Mistakes, mcptool.Mistake{Reason: fmt.Sprintf("the view %s: %s", name, reason), Fix: fix})
	}
	var asked policy
	for _, o := range opts {
		if o == nil {
			mistake("an option is nil", "leave it out")
			continue
		}
		o.apply(&asked)
	}
	for _, m := range asked.mistakes {
		mistake(m.reason, m.fix)
	}
	document, err := readDocument(fsys, name)
	if err != nil {
		mistake(err.Error(), "pass the slash-separated path of a file in the file system, as in go:embed")
		return mcptool.Attach(attachment)
	}
	if !isDocument(document) {
		mistake("it is not an HTML5 document in UTF-8", `begin it with "<!doctype html>"`)
	}
	for _, m := range checkLoads(document, &asked) {
		mistake(m.reason, m.fix)
	}
	resource, uri, mistakes := newResource(name, document, &asked)
	for _, m := range mistakes {
		mistake(m.Reason, m.Fix)
	}
	if len(attachment.Mistakes) == 0 {
		attachment.Resources = []*mcptool.Resource{resource}
		// The flat member is deprecated. Hosts written for drafts of the extension support only that.
		attachment.Meta = map[string]any{"ui": map[string]any{"resourceUri": uri}, "ui/resourceUri": uri}
	}
	return mcptool.Attach(attachment)
}

// readDocument reads the file.
func readDocument(fsys fs.FS, name string) ([]byte, error) {
	if fsys == nil {
		return nil, errors.New("the file system is nil")
	}
	return fs.ReadFile(fsys, name)
}

// newResource returns the resource of the document, and its URI.
func newResource(name string, document []byte, asked *policy) (resource *mcptool.Resource, uri string, mistakes []mcptool.Mistake) {
	contents := mcptool.ResourceContents{Text: string(document), MIMEType: MIMEType}
	meta := asked.json()
	if meta != nil {
		contents.Meta = map[string]any{"ui": meta}
	}
	stem := stemOf(name)
	uri = fmt.Sprintf("ui://%s/%s-%s.html", stem, stem, hashOf(document, meta))
	resource, err := mcptool.NewResource(
		func(context.Context, struct{}) (mcptool.ResourceContents, error) { return contents, nil },
		mcptool.URI(uri),
		mcptool.MIMEType(MIMEType),
		mcptool.Name(stem+".html"),
		mcptool.Size(int64(len(document))),
		mcptool.Verbatim(true),
	)
	if wrong := (*mcptool.RegisterError)(nil); errors.As(err, &wrong) {
		return nil, "", wrong.Mistakes
	}
	return resource, uri, nil
}

// hashOf returns 16 hexadecimal digits that depend on the document and on its requests to the host.
func hashOf(document, meta []byte) string {
	sum := sha256.New()
	_, _ = sum.Write(meta) // it is JSON, so a document cannot continue it
	_, _ = sum.Write([]byte{0})
	_, _ = sum.Write(document)
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// longestStem is the maximum length of the part of a file name that is used in a URI.
const longestStem = 40

// stemOf returns the name of a file without its directory and extension, in a form that is valid as the host of a URI.
func stemOf(name string) string {
	base := path.Base(name)
	stem := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, strings.TrimSuffix(base, path.Ext(base)))
	if stem = strings.Trim(stem[:min(len(stem), longestStem)], "-"); stem == "" {
		return "view"
	}
	return stem
}

// checkLoads returns a mistake for each address that the document loads and the policy does not allow.
func checkLoads(document []byte, asked *policy) []mistake {
	var mistakes []mistake
	base := &url.URL{}
	for _, l := range loads(document) {
		address, err := url.Parse(l.address)
		if err != nil {
			mistakes = append(mistakes, mistake{fmt.Sprintf("line %d: the %s of %s is not a URL: %q", l.line, l.attribute, l.tag, l.address), "correct it"})
			continue
		}
		if address.Scheme == "" && address.Host != "" {
			address.Scheme = "https" // like the page that contains it
		}
		address = base.ResolveReference(address)
		if l.tag == "base" {
			base = address
		}
		if isInside(l.tag, address) || asked.allows(l.tag, address) {
			continue
		}
		mistakes = append(mistakes, mistake{
			fmt.Sprintf("line %d: %s %s=%q loads content from outside the document", l.line, l.tag, l.attribute, l.address), loadFix(l.tag, address),
		})
	}
	return mistakes
}

// isInside reports whether an address needs no network and is allowed by the policy of every view.
func isInside(tag string, address *url.URL) bool {
	switch address.Scheme {
	case "about", "javascript", "blob":
		return true
	case "data":
		return tag == "img" || tag == "audio" || tag == "video" || tag == "source" || tag == "input"
	}
	return false
}

// loadFix returns the fix for an element that loads an address.
func loadFix(tag string, address *url.URL) string {
	option := map[string]string{"iframe": "Frames", "frame": "Frames", "base": "BaseURIs", "object": "", "embed": ""}
	name, special := option[tag]
	switch {
	case special && name == "":
		return "leave it out: no host lets a view load plug-ins"
	case address.Host == "":
		return "a view has no base URL for relative references: put the content into the document"
	case !special:
		name = "Resources"
	}
	return fmt.Sprintf("put it into the document, or pass apps.%s(%q)", name, address.Scheme+"://"+address.Host)
}
