package client

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// A style is a way to write a value, named as in OpenAPI, or a modifier of one. Several are listed, or combined with |.
type style uint

const (
	form style = 1 << iota
	simple
	label
	matrix
	spaceDelimited
	pipeDelimited
	deepObject // items[0][name]=value, at any depth
	asJSON

	exploded  // each element or member separately; the default of form only
	joined    // not exploded
	raw       // reserved characters of a query are not escaped, except those that would end the value
	unescaped // of headers and multipart bodies
)

// combine returns the style of a parameter, which is the fallback if how has only modifiers.
func combine(fallback style, how ...style) (s style) {
	for _, h := range how {
		s |= h
	}
	if s&(form|simple|label|matrix|spaceDelimited|pipeDelimited|deepObject|asJSON) == 0 {
		s |= fallback
	}
	if s&form != 0 && s&joined == 0 {
		s |= exploded
	}
	return s
}

// reserved undoes the escapes of reserved characters, except # [ ] & +, which mean something in every query.
var reserved = strings.NewReplacer("%3A", ":", "%2F", "/", "%3F", "?", "%40", "@", "%21", "!", "%24", "$", "%27", "'", "%28", "(",
	"%29", ")", "%2A", "*", "%2C", ",", "%3B", ";", "%3D", "=")

func (s style) escape(text string) string {
	if s&unescaped != 0 {
		return text
	}
	text = strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
	if s&raw != 0 {
		text = reserved.Replace(text)
	}
	return text
}

// path sets a parameter of the path. It never changes the other segments of the path.
func (r *request) path(name string, value any, how ...style) {
	s, prefix, separator := combine(simple, how...)&^raw, "", ","
	switch {
	case s&label != 0:
		prefix, separator = ".", "."
	case s&matrix != 0:
		prefix, separator = ";", ";"
	default:
		s |= simple
	}
	text, sent := r.parameter(name, value, s, separator)
	if text = prefix + text; !sent || text == "" {
		r.fail(name, errors.New("it is a part of the path, which must not be empty"))
	}
	r.url = strings.ReplaceAll(r.url, "{"+name+"}", text)
}

// query adds a parameter of the query.
func (r *request) query(name string, value any, how ...style) {
	if text, sent := r.parameter(name, value, combine(form, how...), "&"); sent {
		r.queries = append(r.queries, text)
	}
}

// header sets a header.
func (r *request) header(name string, value any, how ...style) {
	text, sent := r.parameter(name, value, combine(simple, how...)|simple|unescaped, ",")
	if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
		r.fail(name, errors.New("it is a header, which must not have line breaks or other control characters"))
	}
	if sent {
		r.headers.Set(name, text)
	}
}

// cookie adds a cookie.
func (r *request) cookie(name string, value any, how ...style) {
	if text, sent := r.parameter(name, value, combine(form, how...), "; "); sent {
		r.cookies = append(r.cookies, text)
	}
}

// parameter returns a parameter as it is sent. Not sent are absent values, and empty arrays and objects.
func (r *request) parameter(name string, value any, s style, separator string) (text string, sent bool) {
	data, err := encode(value)
	r.fail(name, err)
	if data == nil {
		return "", false
	}
	pairs := r.expand(name, data, s)
	texts := make([]string, len(pairs))
	for i, p := range pairs {
		switch {
		case p.name == "":
			texts[i] = p.text
		case p.text == "" && s&matrix != 0:
			texts[i] = p.name
		default:
			texts[i] = p.name + "=" + p.text
		}
	}
	return strings.Join(texts, separator), len(pairs) > 0
}

// encode returns a value as JSON, or nil if it is absent: a nil pointer, slice or map, or an Optional that is not set. A union is
// passed by pointer, because its discriminator is written only for the type of the interface.
func encode(value any) (json.RawMessage, error) {
	v := reflect.ValueOf(value)
	if optional, ok := value.(interface{ IsSet() bool }); ok {
		if !optional.IsSet() {
			return nil, nil
		}
		value = v.FieldByName("Value").Interface() // a nil pointer, which is written as null, if the Optional is null
	} else if !v.IsValid() || slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map}, v.Kind()) && v.IsNil() {
		return nil, nil
	}
	return reflectschema.AppendValue(nil, value)
}

// A member is a member of a JSON object, or an element of an array with its index as the name.
type member struct {
	name  string
	value json.RawMessage
}

// members returns what an object or array has, in its order, and '{' or '['. The kind of other values is 0. data is valid JSON.
func members(data json.RawMessage) (list []member, kind byte) {
	if len(data) == 0 || data[0] != '{' && data[0] != '[' {
		return nil, 0
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	_, _ = decoder.Token()
	for decoder.More() {
		m := member{name: strconv.Itoa(len(list))}
		if data[0] == '{' {
			name, _ := decoder.Token()
			m.name, _ = name.(string)
		}
		if decoder.Decode(&m.value) != nil {
			break
		}
		list = append(list, m)
	}
	return list, data[0]
}

// scalar returns the text of a string, "" for null, and numbers and bools as they are written.
func scalar(data json.RawMessage) string {
	var text string
	if json.Unmarshal(data, &text) != nil {
		return string(data)
	}
	return text
}

// A pair is a name and a value, escaped for the place where they are sent. The name is "" if only the value is sent.
type pair struct{ name, text string }

// expand writes a value as RFC 6570 does, on which the styles of OpenAPI are based.
func (r *request) expand(name string, data json.RawMessage, s style) (pairs []pair) {
	own := s.escape(name)
	if s&(simple|label) != 0 {
		own = ""
	}
	list, kind := members(data)
	switch {
	case s&asJSON != 0:
		return []pair{{own, s.escape(string(data))}}
	case kind == 0:
		return []pair{{own, s.escape(scalar(data))}}
	}
	var items []string
	for _, m := range list {
		if s&deepObject != 0 {
			pairs = append(pairs, r.expand(name+"["+m.name+"]", m.value, s)...)
			continue
		}
		if _, nested := members(m.value); nested != 0 {
			r.fail(name, errors.New("the API does not say how lists and objects within it are written"))
		}
		text := s.escape(scalar(m.value))
		if kind == '{' {
			pairs = append(pairs, pair{s.escape(m.name), text})
			items = append(items, s.escape(m.name), text)
		} else {
			pairs = append(pairs, pair{own, text})
			items = append(items, text)
		}
	}
	if s&(exploded|deepObject) != 0 || len(items) == 0 {
		return pairs
	}
	delimiter := ","
	switch {
	case s&spaceDelimited != 0:
		delimiter = s.escape(" ")
	case s&pipeDelimited != 0:
		delimiter = s.escape("|")
	}
	return []pair{{own, strings.Join(items, delimiter)}}
}

// setBody sets the body, which was made of value.
func (r *request) setBody(mediaType string, value any, body []byte) {
	v := reflect.ValueOf(value)
	r.contentType, r.body, r.zeroBody = mediaType, body, !v.IsValid() || v.IsZero()
}

// optionalBody leaves out a body that was made of a zero value. It is called after the body is set.
func (r *request) optionalBody() {
	if r.zeroBody {
		r.contentType, r.body = "", nil
	}
}

func (r *request) json(mediaType string, value any) {
	body, err := encode(value)
	r.fail("the body", err)
	r.setBody(mediaType, value, body)
}

func (r *request) text(mediaType, value string) { r.setBody(mediaType, value, []byte(value)) }

func (r *request) bytes(mediaType string, value []byte) {
	r.setBody(File{Data: value}.mediaType(mediaType), value, value)
}

// A part describes the encoding of a member of a form or multipart body. Without a style, an array is sent as one part per
// element, and an object as JSON.
type part struct {
	name      string
	mediaType string // of a part of a multipart body; an array with application/json is one part
	style     style
}

// A File is a part of a multipart body.
type File struct {
	Name        string `json:"name" jsonschema:"maxLength=255" doc:"File name, such as photo.png"`
	ContentType string `json:"content_type,omitzero" jsonschema:"maxLength=255" doc:"Media type, such as image/png; by default from the name or the data"`
	Data        []byte `json:"data" doc:"Content of the file in base64"`
}

// A field is a member of a form or multipart body as it is sent.
type field struct {
	pair
	mediaType string
	file      *File
}

// form sets a body of type application/x-www-form-urlencoded.
func (r *request) form(value any, parts ...part) {
	var pairs []string
	for _, f := range r.fields(value, parts, 0) {
		pairs = append(pairs, f.name+"="+f.text)
	}
	r.setBody("application/x-www-form-urlencoded", value, []byte(strings.Join(pairs, "&")))
}

// multipart sets a body of type multipart/form-data.
func (r *request) multipart(value any, parts ...part) {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for _, f := range r.fields(value, parts, unescaped) {
		header, data := textproto.MIMEHeader{}, []byte(f.text)
		header.Set("Content-Disposition", "form-data; name="+strconv.Quote(f.name))
		if f.file != nil {
			header.Set("Content-Disposition", multipart.FileContentDisposition(f.name, f.file.Name))
			data = f.file.Data
		}
		if f.mediaType != "" {
			_, _, err := mime.ParseMediaType(f.mediaType)
			if strings.ContainsAny(f.mediaType, "\r\n") { // ParseMediaType allows them before parameters
				err = errors.New("a media type must not have line breaks")
			}
			r.fail(f.name, err)
			header.Set("Content-Type", f.mediaType)
		}
		part, _ := w.CreatePart(header) // a bytes.Buffer has no errors
		_, _ = part.Write(data)
	}
	_ = w.Close()
	r.setBody(w.FormDataContentType(), value, body.Bytes())
}

// fields returns the members of a body as they are sent.
func (r *request) fields(value any, parts []part, s style) (fields []field) {
	data, err := encode(value)
	r.fail("the body", err)
	files := filesOf(value)
	list, _ := members(data)
	for _, m := range list {
		var p part
		if i := slices.IndexFunc(parts, func(p part) bool { return p.name == m.name }); i >= 0 {
			p = parts[i]
		}
		elements := []member{m}
		if list, kind := members(m.value); kind == '[' && !isJSON(p.mediaType) {
			elements = list
		}
		switch {
		case files[m.name] && s&unescaped != 0 && string(m.value) != "null":
			for _, element := range elements {
				var file File
				r.fail(m.name, json.Unmarshal(element.value, &file))
				fields = append(fields, field{pair{m.name, ""}, file.mediaType(p.mediaType), &file})
			}
		case p.style != 0:
			for _, pair := range r.expand(m.name, m.value, combine(form, p.style)|s) {
				fields = append(fields, field{pair, p.mediaType, nil})
			}
		default:
			for _, element := range elements {
				text, mediaType := scalar(element.value), p.mediaType
				if _, nested := members(element.value); nested != 0 || isJSON(mediaType) {
					text, mediaType = string(element.value), cmp.Or(mediaType, "application/json")
				}
				fields = append(fields, field{pair{s.escape(m.name), s.escape(text)}, mediaType, nil})
			}
		}
	}
	return fields
}

// filesOf returns the names in JSON of the fields of a struct that are files.
func filesOf(value any) map[string]bool {
	files := make(map[string]bool)
	v := reflect.Indirect(reflect.ValueOf(value))
	if v.Kind() != reflect.Struct {
		return files
	}
	for _, f := range reflect.VisibleFields(v.Type()) {
		switch reflect.Zero(f.Type).Interface().(type) {
		case File, *File, []File, mcptool.Optional[File], mcptool.Optional[[]File]:
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			files[name] = true
		}
	}
	return files
}

// mediaType returns the type of a file. The documented one may be a list of types, or image/*, which cannot be sent.
func (f File) mediaType(documented string) string {
	if strings.ContainsAny(documented, "*,") {
		documented = ""
	}
	return cmp.Or(f.ContentType, documented, mime.TypeByExtension(path.Ext(f.Name)), http.DetectContentType(f.Data))
}
