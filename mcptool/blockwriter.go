package mcptool

import (
	"encoding/base64"
	"time"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// blockWriter writes one block, member by member. Its methods differ in how they change a text.
type blockWriter struct {
	dst    []byte
	form   *private.ContentForm
	redact func(string) string // nil: nothing is secret
}

// open begins the block.
func (w blockWriter) open(kind string) blockWriter {
	w.dst = append(rawjson.AppendComma(w.dst), '{')
	return w.token("type", kind)
}

// prose writes text for models and people: redacted, and without terminal sequences and characters that change how the
// text around them reads.
func (w blockWriter) prose(name, text string) blockWriter {
	w.dst = rawjson.AppendText(rawjson.AppendName(w.dst, name), rawjson.Clean(text, w.redact))
	return w
}

// verbatim writes text for models that must get exactly this text: redacted only.
func (w blockWriter) verbatim(name, text string) blockWriter {
	if w.redact != nil && text != "" {
		text = w.redact(text)
	}
	return w.token(name, text)
}

// optionalProse is prose, but omits an empty text.
func (w blockWriter) optionalProse(name, text string) blockWriter {
	if text = rawjson.Clean(text, w.redact); text == "" {
		return w
	}
	w.dst = rawjson.AppendText(rawjson.AppendName(w.dst, name), text)
	return w
}

// token writes text for programs unchanged: a URI, a media type.
func (w blockWriter) token(name, text string) blockWriter {
	w.dst = rawjson.AppendString(rawjson.AppendName(w.dst, name), text)
	return w
}

// optionalToken is token, but omits an empty text.
func (w blockWriter) optionalToken(name, text string) blockWriter {
	if text == "" {
		return w
	}
	return w.token(name, text)
}

// binary writes bytes in base64.
func (w blockWriter) binary(name string, data []byte) blockWriter {
	dst := append(rawjson.AppendName(w.dst, name), '"')
	w.dst = append(base64.StdEncoding.AppendEncode(dst, data), '"')
	return w
}

// close writes the members that all types of blocks have, and ends the block.
func (w blockWriter) close(a *Annotations, meta map[string]any) []byte {
	w.dst = w.annotations(a)
	if len(meta) > 0 && w.form.Meta {
		w.dst = append(rawjson.AppendRawMembers(append(rawjson.AppendName(w.dst, "_meta"), '{'), meta), '}')
	}
	return append(w.dst, '}')
}

// annotations writes the member annotations, unless the revision supports none of the fields that are set.
func (w blockWriter) annotations(a *Annotations) []byte {
	if a == nil {
		return w.dst
	}
	start := len(w.dst)
	dst := append(rawjson.AppendName(w.dst, "annotations"), '{')
	empty := len(dst)
	if len(a.Audience) > 0 {
		dst = rawjson.AppendStrings(rawjson.AppendName(dst, "audience"), a.Audience)
	}
	if a.Priority != nil {
		dst = rawjson.AppendFloat(rawjson.AppendName(dst, "priority"), *a.Priority)
	}
	if !a.LastModified.IsZero() && w.form.LastModified {
		dst = rawjson.AppendString(rawjson.AppendName(dst, "lastModified"), a.LastModified.UTC().Format(time.RFC3339))
	}
	if len(dst) == empty {
		return dst[:start]
	}
	return append(dst, '}')
}

// icons writes the member icons.
func (w blockWriter) icons(list []Icon) blockWriter {
	w.dst = append(rawjson.AppendName(w.dst, "icons"), '[')
	for _, icon := range list {
		w.dst = append(rawjson.AppendComma(w.dst), '{')
		w = w.token("src", icon.Src).optionalToken("mimeType", icon.MIMEType)
		if len(icon.Sizes) > 0 {
			w.dst = rawjson.AppendStrings(rawjson.AppendName(w.dst, "sizes"), icon.Sizes)
		}
		w = w.optionalToken("theme", icon.Theme)
		w.dst = append(w.dst, '}')
	}
	w.dst = append(w.dst, ']')
	return w
}
