package openapi

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// everything is an API with each kind of declaration, parameter, body and result.
func everything() *API {
	api := &API{
		Title: "Everything", Version: "3", BaseURL: "/api/v3", EnvPrefix: "EVERYTHING",
		Schemes: []Scheme{
			{Name: "key", Kind: SchemeAPIKey, In: "query", Key: "api key"},
			{Name: "login", Kind: SchemeBasic},
			{Name: "tools", Kind: SchemeBearer}, // its variable must not be that of the selection
			{Name: "oauth", Kind: SchemeClientCredentials, TokenURL: "https://tokens.example.com/", Scopes: []string{"read", "write"}},
		},
		Security: []Requirement{{"key"}, {}},
		Types: []*Decl{
			{GoName: "Circle", Kind: DeclStruct, Fields: []Field{{GoName: "Radius", JSON: "radius", Type: "float64"}}},
			{GoName: "Square", Kind: DeclStruct, Fields: []Field{{GoName: "Side", JSON: "side", Type: "float64"}}},
			{GoName: "Shape", Kind: DeclUnion, Discriminator: "type", Members: []EnumItem{{"Circle", "circle"}, {"Square", "square"}}},
			{GoName: "Filter", Kind: DeclRaw, Doc: "A filter.", Schema: `{"oneOf":[{"type":"string","pattern":"^[a-z]+\\.$"},{"type":"array","items":{"type":"string"},"maxItems":1000}]}`},
			{GoName: "Tags", Kind: DeclNamed, Type: "map[string][]string"},
			{GoName: "Size", Kind: DeclEnum, Values: []EnumItem{{"SizeSmall", "small"}, {"SizeLarge", "la\"rge"}}},
			{GoName: "Thing", Kind: DeclStruct, Fields: []Field{
				{GoName: "Made", JSON: "made", Type: "time.Time"},
				{GoName: "Day", JSON: "day", Type: "*datetime.Date", Absent: true},
				{GoName: "Note", JSON: "note", Type: "mcptool.Optional[string]", Absent: true},
				{GoName: "Any", JSON: "-", Type: "json.RawMessage"},
				{GoName: "Parent", JSON: "parent", Type: "*Thing", Absent: true},
				{GoName: "Quoted", JSON: "quoted", Type: "string", Keywords: []string{`pattern=^[a-z]{1\,9}\.$`}, Doc: "A `back` \"quote\""},
			}},
		},
	}
	s := &Service{GoName: "Things", File: "things"}
	api.Services = []*Service{s}
	add := func(o Operation, fields ...Field) {
		n := len(s.Operations) + 1
		o.GoName, o.ToolName = fmt.Sprintf("Call%d", n), fmt.Sprintf("call%d", n)
		if o.Method == "" {
			o.Method = "POST"
		}
		if o.Path == "" {
			o.Path = fmt.Sprintf("/calls/%d", n)
		}
		if o.Result.Kind == "" {
			o.Result.Kind = ResultNone
		}
		o.Args = &Decl{GoName: o.GoName + "In", Kind: DeclStruct, Fields: fields}
		if o.Example != nil {
			o.Example.Path = cmp.Or(o.Example.Path, o.Path)
			o.Example.Status = 200
		}
		s.Operations = append(s.Operations, &o)
	}
	body := func(goType string, absent bool) Field {
		return Field{GoName: "Body", JSON: "body", Type: goType, Absent: absent}
	}
	list, object := Field{GoName: "List", JSON: "list", Type: "[]string", Absent: true}, Field{GoName: "Object", JSON: "object", Type: "map[string]string", Absent: true}
	add(Operation{
		Method: "GET", Path: "/things/{list}/{object}/{id}", Params: []Param{
			{Field: "List", Name: "list", In: "path", Style: "matrix", Explode: true}, {Field: "Object", Name: "object", In: "path", Style: "label"}, {Field: "ID", Name: "id", In: "path"},
		},
		Example: &Example{Args: []byte(`{"list":["a","b"],"object":{"k":"v"},"id":7}`), Path: "/things/;list=a;list=b/.k,v/7"},
	}, list, object, Field{GoName: "ID", JSON: "id", Type: "int64"})
	add(Operation{
		Method: "GET", Params: []Param{
			{Field: "List", Name: "list", In: "query", Style: "pipeDelimited"},
			{Field: "Object", Name: "object", In: "query", Style: "deepObject", Explode: true},
			{Field: "Filter", Name: "filter", In: "query", Style: "json"},
			{Field: "Raw", Name: "raw", In: "query", Style: "form", Explode: true, Raw: true},
			{Field: "Size", Name: "size", In: "cookie", Style: "form"},
			{Field: "Since", Name: "since", In: "query", Style: "form", Explode: true},
		},
		Result: Result{Kind: ResultJSON, MediaType: "application/json", Type: "map[string][]json.RawMessage"},
		Example: &Example{
			Args:  []byte(`{"list":["a","b c"],"object":{"k":"v"},"filter":["x"],"raw":"a/b","since":"2026-01-02T03:04:05.000Z"}`),
			Query: "list=a|b%20c&object[k]=v&filter=[%22x%22]&raw=a/b&since=2026-01-02T03:04:05.000Z", MediaType: "application/json", Response: json.RawMessage(`{"a":[1,null]}`),
		},
	}, list, object, Field{GoName: "Filter", JSON: "filter", Type: "*Filter", Absent: true}, Field{GoName: "Raw", JSON: "raw", Type: "*string", Absent: true},
		Field{GoName: "Size", JSON: "size", Type: "*Size", Absent: true}, Field{GoName: "Since", JSON: "since", Type: "*time.Time", Absent: true})
	add(Operation{Body: &Body{Field: "Body", Kind: BodyJSON, MediaType: "application/json"}, BaseURL: "https://shapes.example.com/v2/", Example: &Example{
		Args: []byte(`{"body":{"type":"circle","radius":1}}`), Body: []byte(`{"type":"circle","radius":1}`),
	}}, body("Shape", false))
	add(Operation{Body: &Body{Field: "Body", Kind: BodyJSON, MediaType: "application/merge-patch+json", Optional: true}, Method: "PATCH", Result: Result{Kind: ResultText, MediaType: "text/plain"}, Example: &Example{
		Args: []byte(`{"body":{"made":"2026-01-02T03:04:05.0Z","-":[1.0],"quoted":"abc.","note":null}}`), MediaType: "text/plain; charset=utf-8", Response: "done",
		Body: []byte(`{"made":"2026-01-02T03:04:05.0Z","-":[1.0],"quoted":"abc.","note":null}`),
	}}, body("*Thing", true))
	add(Operation{
		Body:   &Body{Field: "Body", Kind: BodyForm, Parts: []Part{{Name: "tags", Style: "spaceDelimited"}, {Name: "names", Style: "form"}, {Name: "deep", Style: "deepObject", Explode: true}}},
		Result: Result{Kind: ResultContent, MediaType: "image/svg+xml"}, Security: &[]Requirement{{"key", "login"}, {}},
		Example: &Example{Args: []byte(`{"body":{"tags":["a"]}}`), MediaType: "image/svg+xml", Response: "<svg/>"},
	}, body("Tags", false))
	add(Operation{Body: &Body{Field: "Body", Kind: BodyMultipart, Optional: true, Parts: []Part{{Name: "file", MediaType: "image/png"}}}, Example: &Example{
		Args: []byte(`{"body":{"file":{"name":"a.png","data":"AAAA"}}}`),
	}}, body("*Call6Body", true))
	s.Types = append(s.Types, &Decl{GoName: "Call6Body", Kind: DeclStruct, Fields: []Field{{GoName: "File", JSON: "file", Type: "File"}}})
	add(Operation{Body: &Body{Field: "Body", Kind: BodyText, MediaType: "text/plain"}}, body("string", false))
	add(Operation{Body: &Body{Field: "Body", Kind: BodyText, MediaType: "text/plain", Optional: true}, Example: &Example{Args: []byte(`{}`)}}, body("string", true))
	add(Operation{Body: &Body{Field: "Body", Kind: BodyBytes, MediaType: "application/octet-stream", Optional: true}, Method: "QUERY"}, body("[]byte", true))
	add(Operation{Method: "HEAD", Params: []Param{{Field: "Shape", Name: "X-Shape", In: "header", Style: "simple", Explode: true}}}, Field{GoName: "Shape", JSON: "X-Shape", Type: "Shape", Absent: true})
	s.Operations[6].ToolName = "call_by_another-name"
	return api
}

// large is an API with so many tools that its program can search them.
func large() *API {
	api := petstore()
	for n := range manyTools {
		name := fmt.Sprintf("Service%d", n)
		api.Services = append(api.Services, &Service{GoName: name, File: fmt.Sprintf("more%d", n), Group: "more", Operations: []*Operation{{
			Method: "GET", Path: fmt.Sprintf("/more/%d", n), GoName: "Get", ToolName: fmt.Sprintf("get%d", n), Result: Result{Kind: ResultNone},
			Args: &Decl{GoName: fmt.Sprintf("Get%dIn", n), Kind: DeclStruct},
		}}})
	}
	return api
}
