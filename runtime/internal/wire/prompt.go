package wire

import (
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
)

// AppendPrompt appends a prompt in the form of prompts/list for revision v.
func AppendPrompt(dst []byte, p *mcptool.Prompt, v Version) []byte {
	info := p.Info()
	dst = appendNamed(AppendText(append(dst, '{'), "name", info.Name), nil, info.Title, info.Description, v)
	if arguments := internals.ArgumentsOf(p); len(arguments) > 0 {
		dst = append(rawjson.AppendName(dst, "arguments"), '[')
		for _, a := range arguments {
			dst = appendNamed(AppendText(append(rawjson.AppendComma(dst), '{'), "name", a.Name), nil, a.Title, a.Description, v)
			if a.Required {
				dst = append(rawjson.AppendName(dst, "required"), "true"...)
			}
			dst = append(dst, '}')
		}
		dst = append(dst, ']')
	}
	dst = appendIcons(dst, info.Icons, v)
	return append(appendMeta(dst, info.Meta, v), '}')
}

// appendNamed appends a title and a description. In revisions without titles, the title is sent as the description if
// description is empty.
func appendNamed(dst []byte, r Redactor, title, description string, v Version) []byte {
	if v.Has(Titles) {
		dst = r.AppendOptional(dst, "title", title)
	} else if description == "" {
		description = title
	}
	return r.AppendOptional(dst, "description", description)
}

// AppendMessage appends the nth message of a prompt, as the next element of a list. See [AppendBlock] for its content.
func AppendMessage(dst []byte, m mcptool.Message, v Version, r Redactor, n int) []byte {
	dst = AppendText(append(rawjson.AppendComma(dst), '{'), "role", string(m.Role))
	dst = rawjson.AppendName(dst, "content")
	colon := len(dst) - 1
	dst[colon] = '[' // temporary: AppendBlock writes an element of a list, which must be the first one
	dst = AppendBlock(dst, m.Content, v, r, n)
	dst[colon] = ':'
	return append(dst, '}')
}
