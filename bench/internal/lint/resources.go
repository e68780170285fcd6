package lint

import (
	"fmt"
	"mime"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/uritemplate"
)

// resources checks the resources, or the templates, of the named list.
func (c *checker) resources(name string, list []client.Resource, areTemplates bool) {
	size := listSize{list: name}
	seen := map[string]bool{}
	for i := range list {
		r := &list[i]
		of, uri, check := Finding{Resource: orUnnamed(r.URI)}, r.URI, c.uri
		again, againText, noText := "same-uri", "the URI is there twice", "no-resource-text"
		if areTemplates {
			of, uri, check = Finding{Template: orUnnamed(r.URITemplate)}, r.URITemplate, c.template
			again, againText, noText = "same-template", "the template is there twice", "no-template-text"
		}
		size.add(r.Raw, uri)
		if !c.entry(of, &r.Entry, "bad-entry") {
			continue
		}
		check(of, uri)
		if seen[uri] && uri != "" {
			c.of(of, again, againText)
		}
		seen[uri] = true
		c.described(of, r, noText)
		c.mimeType(of, uri, r.MIMEType)
	}
	c.size(size)
}

// described checks the name, the description and the annotations of a resource or template.
func (c *checker) described(of Finding, r *client.Resource, noText string) {
	if r.Name == "" {
		c.of(of, "no-resource-name", "no name")
	}
	switch length := utf8.RuneCountInString(r.Description); {
	case strings.TrimSpace(r.Description) == "" && strings.TrimSpace(r.Title) == "":
		c.of(of, noText, "neither a title nor a description")
	case length > maxPrompt:
		c.of(of, "long-resource", fmt.Sprintf("the description has %d characters", length))
	}
	if r.Size != nil && *r.Size < 0 {
		c.of(of, "bad-annotation", fmt.Sprintf("the size is %d", *r.Size))
	}
	a := r.Annotations
	if a == nil {
		return
	}
	for _, who := range a.Audience {
		if !slices.Contains([]string{"user", "assistant"}, who) {
			c.of(of, "bad-annotation", fmt.Sprintf("the audience is %q, neither user nor assistant", short(who)))
		}
	}
	if p := a.Priority; p != nil && (*p < 0 || *p > 1) {
		c.of(of, "bad-annotation", fmt.Sprintf("the priority is %v, not from 0 to 1", *p))
	}
	if when := a.LastModified; when != "" && !isTime(when) {
		c.of(of, "bad-annotation", fmt.Sprintf("lastModified is %q, not a time as in 2026-01-31T12:00:00Z", short(when)))
	}
}

// isTime reports whether text is an ISO 8601 date, with or without a time, in a form that clients accept.
func isTime(text string) bool {
	return slices.ContainsFunc([]string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", time.DateOnly}, func(layout string) bool {
		_, err := time.Parse(layout, text)
		return err == nil
	})
}

// uri checks the URI of a resource.
func (c *checker) uri(of Finding, uri string) {
	if uri == "" {
		c.of(of, "no-uri", "no URI")
		return
	}
	parsed, err := url.Parse(uri)
	if _, ok := uritemplate.Normalize(uri); !ok || err != nil || parsed.Scheme == "" {
		c.of(of, "bad-uri", fmt.Sprintf("the URI is %q", short(uri)))
		return
	}
	if scheme := parsed.Scheme; scheme == "https" || scheme == "http" {
		c.of(of, "web-uri", "the scheme is "+scheme)
	}
}

// viewType is the MIME type of MCP Apps views.
const viewType = "text/html;profile=mcp-app"

// mimeType checks a MIME type.
func (c *checker) mimeType(of Finding, uri, text string) {
	switch {
	case strings.HasPrefix(uri, "ui://") && text != viewType:
		c.of(of, "view-mime", fmt.Sprintf("the MIME type is %q", short(text)))
	case text != "" && !isMIMEType(text):
		c.of(of, "bad-mime", fmt.Sprintf("the MIME type is %q", short(text)))
	}
}

// isMIMEType reports whether text is a MIME type with valid parameters.
func isMIMEType(text string) bool {
	kind, _, err := mime.ParseMediaType(text)
	main, sub, ok := strings.Cut(kind, "/")
	return err == nil && ok && main != "" && sub != ""
}

// anyTemplate matches RFC 6570 templates of any level: literals without characters that need encoding, and expressions.
var anyTemplate = regexp.MustCompile(`^(?:[^\x00-\x20"'<>\\^` + "`" + `{|}\x7f%]|%[0-9A-Fa-f]{2}|\{[+#./;?&=,!@|]?` + varSpec + `(?:,` + varSpec + `)*\})*$`)

// varSpec matches a variable with its modifier.
const varSpec = `(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*(?::[1-9][0-9]{0,3}|\*)?`

// template checks the text of a template.
func (c *checker) template(of Finding, text string) {
	parsed, err := uritemplate.Parse(text)
	switch {
	case text == "":
		c.of(of, "no-uri", "no template")
	case err != nil && anyTemplate.MatchString(text) && hasScheme(text):
		c.of(of, "high-template", firstLine(err))
	case err != nil:
		c.of(of, "bad-template", firstLine(err))
	case parsed.IsLiteral():
		c.of(of, "no-variables", "no variables")
	}
	if strings.HasPrefix(text, "https:") || strings.HasPrefix(text, "http:") {
		c.of(of, "web-uri", "the scheme is "+text[:strings.IndexByte(text, ':')])
	}
}

// hasScheme reports whether a template starts with a literal scheme.
func hasScheme(text string) bool {
	scheme, _, ok := strings.Cut(text, ":")
	_, err := url.Parse(scheme + ":x")
	return ok && scheme != "" && err == nil && !strings.ContainsAny(scheme, "{}/")
}

// firstLine returns the first line of an error text.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
