package openapi

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// load loads a document that is made of paths, and of other members after them.
func load(t *testing.T, paths string, o Options) *API {
	t.Helper()
	api, err := Load(t.Context(), write(t, map[string]string{"openapi.yaml": header + "paths:\n" + paths}), o)
	if err != nil {
		t.Fatal(err)
	}
	return api
}

// noted reports whether a note of the API has all texts.
func noted(api *API, texts ...string) bool {
	return slices.ContainsFunc(api.Notes, func(n Note) bool {
		line := fmt.Sprintf("%s: %s: %s %v", n.Operation, n.Part, n.Text, n.LeftOut)
		return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(line, text) })
	})
}

func TestNames(t *testing.T) {
	long := strings.Repeat("x", 70)
	for _, test := range []struct {
		name, style, paths string
		want               []string // tool, Go name, and type of the arguments
	}{
		{"operationId", "", "  /a: {get: {operationId: repos/get-content, responses: {}}}\n", []string{"repos_get_content ReposGetContent ReposGetContentIn"}},
		{"without operationId", "", "  /pets/{id}/toys: {get: {responses: {}}}\n", []string{"get_pets_by_id_toys GetPetsByIDToys GetPetsByIDToysIn"}},
		{"style path", "path", "  /pets/{id}: {get: {operationId: x, responses: {}}}\n", []string{"get_pets_by_id GetPetsByID GetPetsByIDIn"}},
		{"style tag", "tag", "  /pets: {get: {tags: [Pet shop], operationId: list, responses: {}}}\n", []string{"pet_shop_list PetShopList PetShopListIn"}},
		{"not ASCII", "", "  /pets: {get: {operationId: 列表, responses: {}}}\n", []string{"get_pets GetPets GetPetsIn"}},
		{"same operationId", "", "  /a: {get: {operationId: list, responses: {}}, put: {operationId: list, responses: {}}}\n", []string{"list List ListIn", "list_2 List2 List2In"}},
		{
			"same name in two services", "", "  /a: {get: {tags: [a], operationId: get_it, responses: {}}, put: {tags: [b], operationId: getIt, responses: {}}}\n",
			[]string{"get_it GetIt GetItIn", "get_it_2 GetIt GetItIn2"},
		},
		{
			"64 characters", "", "  /a: {get: {operationId: " + long + ", responses: {}}, put: {operationId: " + long + "y, responses: {}}}\n",
			[]string{long[:64] + " X" + long[1:] + " X" + long[1:] + "In", long[:62] + "_2 X" + long[1:] + "y X" + long[1:] + "yIn"},
		},
		{"method of an interface", "", "  /a: {get: {operationId: MarshalJSON, responses: {}}}\n", []string{"marshal_json MarshalJSON2 MarshalJSON2In"}},
		{"x-mcp", "", "  /a: {get: {operationId: a, x-mcp: {name: find.pets}, responses: {}}}\n", []string{"find.pets FindPets FindPetsIn"}},
		{"x-mcp not ASCII", "", "  /a: {get: {operationId: a, x-mcp: {name: 列表}, responses: {}}}\n", []string{"a A AIn"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, s := range load(t, test.paths, Options{NameStyle: test.style}).Services {
				for _, o := range s.Operations {
					got = append(got, o.ToolName+" "+o.GoName+" "+o.Args.GoName)
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestServices(t *testing.T) {
	api := load(t, `  /v1/orders/{id}: {get: {responses: {}}}
  /v2/{id}: {get: {responses: {}}}
  /a: {get: {tags: [client], responses: {}}}
  /b: {get: {tags: [Pet Toys], responses: {}}, put: {tags: [pet-toys, other], responses: {}}}
tags: [{name: Pet Toys, description: Toys of pets.}]
`, Options{})
	var got []string
	for _, s := range api.Services {
		got = append(got, fmt.Sprintf("%s %s %s %d %q", s.GoName, s.Group, s.File, len(s.Operations), s.Doc))
	}
	want := []string{`Orders orders orders 1 ""`, `PetShopAPI pet_shop_api petshopapi 1 ""`, `ClientService client client2 1 ""`, `PetToys pet_toys pettoys 2 "Toys of pets."`} //nolint:dupword // a list of values
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestDescriptions(t *testing.T) {
	for want, op := range map[string]string{
		"List pets. All of them.":       "summary: List pets, description: All of them.",
		"List pets of the shop.":        "summary: List pets, description: List pets of the shop.",
		"Lists pets.":                   `description: "Lists pets.\n\nResponses:\n- 200: OK"`,
		"Lists pets by name.":           `description: "Lists pets by name.\n\n## Errors\n\nMany."`,
		"GET /pets":                     "operationId: x",
		"Mine.":                         "summary: List pets, x-mcp: {description: Mine.}",
		"Really? Yes.":                  "summary: 'Really?', description: 'Yes.'",
		"See the guide for more.":       "summary: 'See the [guide](https://example.com) for more.'",
		"Two lines with a tab and bell": `summary: "Two lines\nwith a\ttab and \abell"`,
	} {
		if got := only(t, load(t, "  /pets: {get: {"+op+", responses: {}}}\n", Options{})).Description; got != want {
			t.Errorf("%s: got %q, want %q", op, got, want)
		}
	}
}

func TestHints(t *testing.T) {
	api := load(t, `  /pets:
    get: {responses: {}}
    head: {responses: {}}
    put: {responses: {}}
    delete: {responses: {}, deprecated: true}
    post: {responses: {}}
    patch: {responses: {}}
  /pets/search: {post: {x-mcp: {readOnly: true}, responses: {}}}
  /pets/reset: {get: {x-mcp: {read-only: false, destructiveHint: true}, responses: {}}}
`, Options{})
	var got []string
	for _, o := range api.Services[0].Operations {
		got = append(got, fmt.Sprint(o.Method, " ", o.ReadOnly, o.Idempotent, o.Destructive != nil && *o.Destructive, o.Deprecated))
	}
	want := []string{
		"GET true false false false", "HEAD true false false false", "PUT false true false false", "DELETE false true true true", //nolint:dupword // a list of values
		"POST false false false false", "PATCH false false false false", "POST true false false false", "GET false false true false", //nolint:dupword // a list of values
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestHidden(t *testing.T) {
	api := load(t, `  /a:
    x-mcp: false
    get: {responses: {}}
    put: {x-mcp: true, operationId: shown, responses: {}}
  /b: {get: {x-mcp: {hidden: true}, responses: {}}, put: {x-mcp: {enabled: false}, responses: {}}, post: {x-mcp: {disabled: "true"}, responses: {}}}
`, Options{})
	if op := only(t, api); op.ToolName != "shown" || len(api.Notes) > 0 {
		t.Errorf("tool %s, notes %v", op.ToolName, api.Notes)
	}
}

// TestSameMembers checks which of several x-mcp members with the same meaning takes effect: the same one in each run.
func TestSameMembers(t *testing.T) {
	dir := write(t, map[string]string{"openapi.yaml": header + `paths:
  /a: {get: {x-mcp: {Name: one, name: two, NAME: three, readOnly: true, read-only: true, read_only_hint: false, idempotent: true}, responses: {}}}
`})
	for range 10 {
		api, err := Load(t.Context(), dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if op := only(t, api); op.ToolName != "two" || op.ReadOnly || !op.Idempotent {
			t.Fatalf("tool %s, read-only %v, idempotent %v", op.ToolName, op.ReadOnly, op.Idempotent)
		}
	}
}

func TestSelect(t *testing.T) {
	paths := `  /pets: {get: {operationId: listPets, tags: [pets], responses: {}}, post: {operationId: addPet, tags: [pets, admin], responses: {}}}
  /pets/{id}: {get: {operationId: getPet, tags: [pets], responses: {}}}
  /users: {get: {operationId: listUsers, tags: [users], responses: {}}}
`
	for _, test := range []struct {
		selected []string
		want     string // the tools, or a part of the error
	}{
		{nil, "list_pets add_pet get_pet list_users"},
		{[]string{"tag=pets"}, "list_pets add_pet get_pet"},
		{[]string{"tag=admin"}, "add_pet"},
		{[]string{"tag=pets", "method=get"}, "list_pets get_pet"},
		{[]string{"operation=getPet", "operation=list*"}, "list_pets get_pet list_users"},
		{[]string{"path=/pets/*"}, "get_pet"},
		{[]string{"tag=dogs"}, `select "tag=dogs" matches no operation`},
		{[]string{"pets"}, `select "pets": want tag=`},
		{[]string{"tags=pets"}, `select "tags=pets": want tag=`},
	} {
		api, err := Load(t.Context(), write(t, map[string]string{"openapi.yaml": header + "paths:\n" + paths}), Options{Select: test.selected})
		if err != nil {
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("%q: error %v, want %q", test.selected, err, test.want)
			}
			continue
		}
		var tools []string
		for _, s := range api.Services {
			for _, o := range s.Operations {
				tools = append(tools, o.ToolName)
			}
		}
		if got := strings.Join(tools, " "); got != test.want {
			t.Errorf("%q: got %s, want %s", test.selected, got, test.want)
		}
	}
}

func TestFieldsOfNoTool(t *testing.T) {
	// The first name in the order of the alphabet is in the error, each time.
	for range 10 {
		_, err := Load(t.Context(), write(t, map[string]string{"openapi.yaml": listPets}), Options{Fields: []string{"list_dogs=id", "list_cats=id", "list_fish=id"}})
		if err == nil || !strings.Contains(err.Error(), `fields "list_cats": no selected operation is a tool of this name`) {
			t.Fatalf("error %v", err)
		}
	}
}

func TestParameters(t *testing.T) {
	api := load(t, `  /pets/{id}/{kind}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: integer}, description: of the path}
      - {name: trace, in: header, schema: {type: string}}
      - {name: gone, in: path, required: true, schema: {type: string}}
    get:
      parameters:
        - {name: id, in: query, schema: {type: string}}
        - {name: trace, in: header, required: true, schema: {type: string}, description: of the operation}
        - {name: 'filter[name]', in: query, style: deepObject, schema: {type: object}}
        - {name: tags, in: query, explode: false, allowReserved: true, schema: {type: array}}
        - {name: where, in: query, content: {application/json: {schema: {type: object}}}}
        - {name: session, in: cookie, schema: {type: string}}
        - {name: bad, in: query, style: matrix, schema: {type: string}}
        - {name: Accept, in: header, schema: {type: string}}
        - {name: content-length, in: header, required: true, schema: {type: integer}}
        - {name: old, in: body, schema: {type: string}}
      responses: {}
`, Options{})
	op := only(t, api)
	want := []Param{
		{Field: "ID", Name: "id", In: "path", Style: "simple"},
		{Field: "Kind", Name: "kind", In: "path", Style: "simple"},
		{Field: "IDQuery", Name: "id", In: "query", Style: "form", Explode: true},
		{Field: "FilterName", Name: "filter[name]", In: "query", Style: "deepObject"},
		{Field: "Tags", Name: "tags", In: "query", Style: "form", Raw: true},
		{Field: "Where", Name: "where", In: "query", Style: "json"},
		{Field: "Bad", Name: "bad", In: "query", Style: "form"},
		{Field: "Trace", Name: "trace", In: "header", Style: "simple"},
		{Field: "Session", Name: "session", In: "cookie", Style: "form", Explode: true},
	}
	if !reflect.DeepEqual(op.Params, want) {
		t.Errorf("got  %+v\nwant %+v", op.Params, want)
	}
	var fields []string
	for _, f := range op.Args.Fields {
		fields = append(fields, f.JSON)
		if f.JSON == "trace" && (f.Absent || f.Doc != "of the operation") {
			t.Errorf("the parameter of the path is not replaced: %+v", f)
		}
	}
	if got := strings.Join(fields, " "); got != "id kind id_query filter_name tags where bad trace session" {
		t.Errorf("arguments %s", got)
	}
	for _, texts := range [][]string{
		{"parameter kind", "the document does not describe it"},
		{"parameter gone", "the path does not have it"},
		{"parameter bad", `the style "matrix" is not one of query parameters`},
		{"parameter old", `"body" is not a location`},
		{"parameter content-length", "HTTP clients set this header themselves"},
	} {
		if !noted(api, append(texts, "GET /pets/{id}/{kind}", "false")...) {
			t.Errorf("no note with %q in %v", texts, api.Notes)
		}
	}
}

func TestBodies(t *testing.T) {
	object := "{schema: {type: object, required: [name], properties: {name: {type: string}}}}"
	for _, test := range []struct {
		name, content string
		required      bool
		want          Body
		fields        string // the names of the arguments, "" for an embedded struct
	}{
		{"JSON", "application/json: " + object, true, Body{Kind: BodyJSON, MediaType: "application/json"}, "id "},
		{"JSON of a vendor", "application/vnd.pets+json: " + object, true, Body{Kind: BodyJSON, MediaType: "application/vnd.pets+json"}, "id "},
		{"JSON before forms", "multipart/form-data: " + object + ", application/json: " + object, true, Body{Kind: BodyJSON, MediaType: "application/json"}, "id "},
		{"merge patch before patch", "application/json-patch+json: {schema: {type: array}}, application/merge-patch+json: " + object, true, Body{Kind: BodyJSON, MediaType: "application/merge-patch+json"}, "id "},
		{"optional with required members", "application/json: " + object, false, Body{Field: "Body", Kind: BodyJSON, MediaType: "application/json", Optional: true}, "id body"},
		{"optional", "application/json: {schema: {type: object, properties: {name: {type: string}}}}", false, Body{Kind: BodyJSON, MediaType: "application/json", Optional: true}, "id "},
		{"colliding name", "application/json: {schema: {type: object, properties: {id: {type: string}}}}", true, Body{Field: "Body", Kind: BodyJSON, MediaType: "application/json"}, "id body"},
		{"name that is not one of arguments", "application/json: {schema: {type: object, properties: {'a b': {type: string}}}}", true, Body{Field: "Body", Kind: BodyJSON, MediaType: "application/json"}, "id body"},
		{"list", "application/json: {schema: {type: array, items: {type: string}}}", true, Body{Field: "Body", Kind: BodyJSON, MediaType: "application/json"}, "id body"},
		{"no schema", "application/json: {}", true, Body{Field: "Body", Kind: BodyJSON, MediaType: "application/json"}, "id body"},
		{
			"form", "application/x-www-form-urlencoded: {schema: {type: object, properties: {tags: {type: array}, meta: {type: object}}}, encoding: {meta: {style: deepObject, explode: true}, tags: {explode: false}}}", true,
			Body{Kind: BodyForm, MediaType: "application/x-www-form-urlencoded", Parts: []Part{{Name: "meta", Style: "deepObject", Explode: true}, {Name: "tags", Style: "form"}}},
			"id ",
		},
		{
			"multipart", "multipart/form-data: {schema: {type: object, properties: {photo: {type: string, format: binary}}}, encoding: {photo: {contentType: image/png}}}", true,
			Body{Kind: BodyMultipart, MediaType: "multipart/form-data", Parts: []Part{{Name: "photo", MediaType: "image/png", Explode: true}}},
			"id ",
		},
		{
			"style that is none", "application/x-www-form-urlencoded: {schema: {type: object, properties: {tags: {type: array}}}, encoding: {tags: {style: unescaped}}}", true,
			Body{Kind: BodyForm, MediaType: "application/x-www-form-urlencoded"},
			"id ",
		},
		{"text", "text/plain: {schema: {type: string}}", true, Body{Field: "Body", Kind: BodyText, MediaType: "text/plain"}, "id body"},
		{"XML", "application/xml: " + object, true, Body{Field: "Body", Kind: BodyText, MediaType: "application/xml"}, "id body"},
		{"bytes", "application/octet-stream: {schema: {type: string, format: binary}}", true, Body{Field: "Body", Kind: BodyBytes, MediaType: "application/octet-stream"}, "id body"},
		{"any text", "text/*: {schema: {type: string}}", true, Body{Field: "Body", Kind: BodyText, MediaType: "text/plain"}, "id body"},
		{"any image", "image/*: {schema: {type: string, format: binary}}", true, Body{Field: "Body", Kind: BodyBytes, MediaType: "image/*"}, "id body"},
		{"any type", "'*/*': " + object, true, Body{Kind: BodyJSON, MediaType: "application/json"}, "id "},
		{"any type of string", "'*/*': {schema: {type: string}}", true, Body{Field: "Body", Kind: BodyBytes, MediaType: "application/octet-stream"}, "id body"},
	} {
		t.Run(test.name, func(t *testing.T) {
			op := only(t, load(t, fmt.Sprintf("  /pets/{id}: {put: {operationId: putPet, parameters: [{name: id, in: path, required: true, schema: {type: string}}], requestBody: {required: %v, content: {%s}}, responses: {}}}\n",
				test.required, test.content), Options{}))
			var fields []string
			for _, f := range op.Args.Fields {
				fields = append(fields, f.JSON)
				if f.JSON == "" {
					test.want.Field = f.GoName
				}
			}
			if op.Body == nil || !reflect.DeepEqual(*op.Body, test.want) {
				t.Errorf("got  %+v\nwant %+v", op.Body, test.want)
			}
			if got := strings.Join(fields, " "); got != test.fields {
				t.Errorf("arguments %q, want %q", got, test.fields)
			}
		})
	}
}

// TestFiles checks that binary strings are files only where they are parts of a multipart body.
func TestFiles(t *testing.T) {
	for mediaType, want := range map[string]string{"multipart/form-data": "*File []File *Inner", "application/json": "*string []string *Inner", "application/x-www-form-urlencoded": "*string []string *Inner"} {
		api := load(t, `  /a:
    post:
      parameters: [{name: q, in: query, schema: {type: string, format: binary}}]
      requestBody: {required: true, content: {`+mediaType+`: {schema: {$ref: '#/components/schemas/Body'}}}}
      responses: {}
components:
  schemas:
    Body: {type: object, properties: {a: {type: string, format: binary}, b: {type: array, items: {type: string, contentMediaType: image/png}}, c: {$ref: '#/components/schemas/Inner'}}}
    Inner: {type: object, properties: {d: {type: string, format: binary}}}
`, Options{})
		var got []string
		for _, f := range api.Services[0].Types[0].Fields {
			got = append(got, f.Type)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: the members are %q, want %s", mediaType, got, want)
		}
		if q, inner := only(t, api).Args.Fields[0].Type, api.Services[0].Types[1].Fields[0].Type; q != "*string" || inner != "*string" {
			t.Errorf("%s: the parameter is %s, and the nested member %s, want strings", mediaType, q, inner)
		}
	}
}

func TestResults(t *testing.T) {
	for _, test := range []struct {
		name, responses string
		want            Result
	}{
		{"JSON", "'200': {description: OK, content: {application/json: {schema: {type: string}}}}", Result{ResultJSON, "application/json", "string"}},
		{"first with content", "'204': {description: x}, '201': {description: OK, content: {application/json: {schema: {type: boolean}}}}", Result{ResultJSON, "application/json", "bool"}},
		{"range", "'2XX': {description: OK, content: {application/hal+json: {schema: {type: string}}}}", Result{ResultJSON, "application/hal+json", "string"}},
		{"no content", "'204': {description: Done}", Result{Kind: ResultNone}},
		{"default", "default: {description: The pet, content: {application/json: {schema: {type: string}}}}", Result{ResultJSON, "application/json", "string"}},
		{"default of errors", "default: {description: unexpected error, content: {application/json: {schema: {type: string}}}}", Result{Kind: ResultNone}},
		{"only errors", "'404': {description: x, content: {application/json: {schema: {type: string}}}}", Result{Kind: ResultNone}},
		{"JSON before text", "'200': {description: OK, content: {text/plain: {schema: {type: string}}, application/json: {schema: {type: string}}}}", Result{ResultJSON, "application/json", "string"}},
		{"text", "'200': {description: OK, content: {text/csv: {schema: {type: string}}}}", Result{Kind: ResultText, MediaType: "text/csv"}},
		{"image", "'200': {description: OK, content: {image/png: {}}}", Result{Kind: ResultContent, MediaType: "image/png"}},
		{"any type", "'200': {description: OK, content: {'*/*': {schema: {type: boolean}}}}", Result{ResultJSON, "application/json", "bool"}},
		{"may be null", "'200': {description: OK, content: {application/json: {schema: {type: string, nullable: true}}}}", Result{ResultJSON, "application/json", "any"}},
		{"list that may be null", "'200': {description: OK, content: {application/json: {schema: {type: array, nullable: true, items: {type: string}}}}}", Result{ResultJSON, "application/json", "[]string"}},
		{"no schema", "'200': {description: OK, content: {application/json: {}}}", Result{ResultJSON, "application/json", "any"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := only(t, load(t, "  /pets: {get: {responses: {"+test.responses+"}}}\n", Options{})).Result; got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestLeftOut(t *testing.T) {
	api := load(t, `  /pets: {get: {operationId: ok, responses: {}}}
  /pets/../admin: {get: {responses: {}}}
  /pets/%2e%2e/admin: {get: {responses: {}}}
  '/pets\..\admin': {get: {responses: {}}}
  "/pets/{id": {get: {responses: {}}}
  /100%: {get: {responses: {}}}
  /header: {get: {parameters: [{name: "X: 1\r\nY", in: header, required: true, schema: {type: string}}], responses: {}}}
  /raw: {get: {parameters: [{name: q, in: querystring, required: true, content: {text/plain: {schema: {type: string}}}}], responses: {}}}
`, Options{})
	if op := only(t, api); op.ToolName != "ok" {
		t.Errorf("tool %s", op.ToolName)
	}
	for _, where := range []string{"GET /pets/../admin", "GET /pets/%2e%2e/admin", `GET /pets\..\admin`, "GET /pets/{id", "GET /100%", "GET /header", "GET /raw"} {
		if !noted(api, where+": operation", "true") {
			t.Errorf("no note about %s in %v", where, api.Notes)
		}
	}
}

func TestNoTools(t *testing.T) {
	api := load(t, "  /pets: {get: {operationId: ok, responses: {}}, options: {responses: {}}, trace: {responses: {}}}\n", Options{})
	if op := only(t, api); op.ToolName != "ok" {
		t.Errorf("tool %s", op.ToolName)
	}
	for _, where := range []string{"OPTIONS /pets", "TRACE /pets"} {
		if !noted(api, where+": operation", "it is not a tool", "false") {
			t.Errorf("no note about %s in %v", where, api.Notes)
		}
	}
}

func TestPathsWithQueryAndFragment(t *testing.T) {
	api := load(t, `  "/pets?kind=dog": {get: {responses: {}}}
  "/pets?kind=cat": {get: {responses: {}}}
  "/pets#exploded": {get: {parameters: [{name: id, in: query, example: '1', schema: {type: string}}], responses: {}}}
`, Options{})
	var got []string
	for _, o := range api.Services[0].Operations {
		got = append(got, o.ToolName+" "+o.Path)
		if o.Example != nil {
			t.Errorf("%s has an example, whose path would not be that of the request", o.ToolName)
		}
	}
	if want := []string{"get_pets_kind_dog /pets?kind=dog", "get_pets_kind_cat /pets?kind=cat", "get_pets_exploded /pets#exploded"}; !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if len(api.Notes) != 1 || !noted(api, "GET /pets#exploded: path", `the fragment "exploded" is not sent`, "false") {
		t.Errorf("notes %v", api.Notes)
	}
}

func TestStylesWithoutForm(t *testing.T) {
	list := "{type: array, items: {type: string}}"
	for _, test := range []struct {
		schema, style string
		want          bool
	}{
		{list, "form", false},
		{"{type: array, items: " + list + "}", "form", true},
		{"{type: array, nullable: true, items: " + list + "}", "form", true},
		{"{type: array, items: " + list + "}", "pipeDelimited", true},
		{"{type: object, properties: {a: {type: string, format: byte}}}", "form", false},
		{"{type: object, properties: {a: " + list + "}}", "form", true},
		{"{type: object, properties: {a: " + list + "}}", "deepObject", false},
		{"{type: array, items: {type: object, properties: {a: {type: string}}}}", "form", true},
		{"{type: object, additionalProperties: " + list + "}", "form", true},
		{"{type: object, additionalProperties: {type: string, enum: [a, b]}}", "form", false},
		{"{oneOf: [{type: object, properties: {k: {type: string, enum: [a]}, x: " + list + "}}, {type: object, properties: {k: {type: string, enum: [b]}}}]}", "form", true},
	} {
		api := load(t, fmt.Sprintf("  /pets: {get: {parameters: [{name: q, in: query, style: %s, schema: %s}], responses: {}}}\n", test.style, test.schema), Options{})
		if got := noted(api, "GET /pets: parameter q: the style "+test.style+" has no form", "false"); got != test.want {
			t.Errorf("%s, style %s: note %v, want %v", test.schema, test.style, got, test.want)
		}
		api = load(t, fmt.Sprintf("  /pets: {post: {requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {q: %s}}, encoding: {q: {style: %s}}}}}, responses: {}}}\n",
			test.schema, test.style), Options{})
		if got := noted(api, "POST /pets: body, part q: the style "+test.style+" has no form", "false"); got != test.want {
			t.Errorf("part %s, style %s: note %v, want %v", test.schema, test.style, got, test.want)
		}
	}
}

func TestFormOfList(t *testing.T) {
	api := load(t, "  /a: {post: {requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: array, items: {type: string}}}}}, responses: {}}}\n", Options{})
	if !noted(api, "POST /a: body", "with their indexes as names", "false") {
		t.Errorf("notes %v", api.Notes)
	}
}

// TestTokenURLWithCredentials checks that a password in a token URL is in neither code nor notes.
func TestTokenURLWithCredentials(t *testing.T) {
	for _, address := range []string{"https://ana:hunter2@a.example/token", "https://ana:hunter2%@a.example/token"} {
		api := load(t, "  /a: {get: {responses: {}}}\nsecurity: [{oauth: []}]\ncomponents: {securitySchemes: {oauth: {type: oauth2, flows: {clientCredentials: {tokenUrl: '"+address+"', scopes: {}}}}}}\n", Options{})
		if s := api.Schemes[0]; s.Kind != SchemeBearer || s.TokenURL != "" || noted(api, "hunter2") || !noted(api, "security", "without credentials") {
			t.Errorf("%s: got %+v, notes %v", address, s, api.Notes)
		}
	}
}

func TestSecurity(t *testing.T) {
	api := load(t, `  /a: {get: {operationId: a, responses: {}}}
  /b: {get: {operationId: b, security: [], responses: {}}}
  /c: {get: {operationId: c, security: [{key: [], basic: []}, {}, {digest: []}, {unknown: []}, {header: []}], responses: {}}}
security: [{oauth: [read]}, {oidc: []}]
components:
  securitySchemes:
    oauth: {type: oauth2, flows: {clientCredentials: {tokenUrl: /token, scopes: {read: x, write: x}}}}
    oidc: {type: openIdConnect, openIdConnectUrl: 'https://example.com'}
    key: {type: apiKey, in: cookie, name: k}
    basic: {type: http, scheme: Basic}
    digest: {type: http, scheme: digest}
    header: {type: apiKey, in: header, name: "X-Key: 1\r\nX-Evil"}
    unused: {type: http, scheme: bearer}
`, Options{})
	var got []string
	for _, s := range api.Services {
		for _, o := range s.Operations {
			got = append(got, fmt.Sprint(o.ToolName, " ", o.Security != nil, " ", o.Security))
		}
	}
	if want := []string{"a false <nil>", "b true &[]", "c true &[[key basic] []]"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if want := []Requirement{{"oauth"}, {"oidc"}}; !reflect.DeepEqual(api.Security, want) {
		t.Errorf("security of the API %v, want %v", api.Security, want)
	}
	schemes := []Scheme{
		{Name: "key", Kind: SchemeAPIKey, In: "cookie", Key: "k"},
		{Name: "basic", Kind: SchemeBasic},
		{Name: "oauth", Kind: SchemeClientCredentials, TokenURL: "https://pets.example.com/token", Scopes: []string{"read", "write"}},
		{Name: "oidc", Kind: SchemeBearer},
	}
	if !reflect.DeepEqual(api.Schemes, schemes) {
		t.Errorf("schemes %+v\nwant    %+v", api.Schemes, schemes)
	}
	if !noted(api, "GET /c", `"digest" (http digest) is not supported`) || !noted(api, "GET /c", `"unknown" is not described`) || !noted(api, "GET /c", `"header" (apiKey ) is not supported`) {
		t.Errorf("notes %v", api.Notes)
	}
}

// TestClosedBody checks that a body that can only be an empty object is no argument.
func TestClosedBody(t *testing.T) {
	api := load(t, `  /a: {delete: {requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {}, additionalProperties: false}}}}, responses: {}}}
`, Options{})
	if op := only(t, api); op.Body != nil || len(op.Args.Fields) != 0 {
		t.Errorf("body %+v, arguments %+v", op.Body, op.Args.Fields)
	}
}

// TestAuth authenticates requests to an API whose document does not describe it.
func TestAuth(t *testing.T) {
	const paths = `  /a: {get: {operationId: a, responses: {}}}
  /b: {get: {operationId: b, security: [], responses: {}}}
  /c: {get: {operationId: c, security: [{unknown: []}], responses: {}}}
`
	for auth, want := range map[string]Scheme{
		"bearer":           {Name: "token", Kind: SchemeBearer},
		"basic":            {Name: "login", Kind: SchemeBasic},
		"header:X-API-Key": {Name: "key", Kind: SchemeAPIKey, In: "header", Key: "X-API-Key"},
		"query:key":        {Name: "key", Kind: SchemeAPIKey, In: "query", Key: "key"},
	} {
		api := load(t, paths, Options{Auth: auth})
		if !reflect.DeepEqual(api.Schemes, []Scheme{want}) || !reflect.DeepEqual(api.Security, []Requirement{{want.Name}}) {
			t.Errorf("%s: schemes %+v, security %v", auth, api.Schemes, api.Security)
		}
		for i, want := range []bool{true, false, true} {
			if op := api.Services[i].Operations[0]; (op.Security == nil) != want {
				t.Errorf("%s: %s has the requirements %v", auth, op.ToolName, op.Security)
			}
		}
	}
	described := paths + "security: [{key: []}]\ncomponents: {securitySchemes: {key: {type: apiKey, in: header, name: k}}}\n"
	for _, test := range []struct{ document, auth, want string }{
		{paths, "token", "want bearer, basic, or"},
		{paths, "header:X-Key\r\nX: 1", "want bearer, basic, or"},
		{paths, "header:", "want bearer, basic, or"},
		{described, "bearer", `by the scheme "key"; leave auth out`},
	} {
		path := write(t, map[string]string{"openapi.yaml": header + "paths:\n" + test.document})
		if _, err := Load(t.Context(), path, Options{Auth: test.auth}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", test.auth, err, test.want)
		}
	}
}

func TestBaseURL(t *testing.T) {
	for _, test := range []struct{ servers, base, want string }{
		{"[{url: 'https://a.example/v1/'}]", "", "https://a.example/v1"},
		{"[{url: 'https://{region}.example/{v}', variables: {region: {default: eu}, v: {enum: [v2]}}}]", "", "https://eu.example/v2"},
		{"[{url: /api/v3}]", "", "/api/v3"},
		{"[{url: /api/v3}]", "https://b.example", "https://b.example/api/v3"},
		{"[{url: /}]", "https://b.example/base/", "https://b.example/base"},
		{"[{url: 'https://a.example/v1'}]", "http://localhost:8080/x", "http://localhost:8080/x"},
		{"[]", "", ""},
		{"[{url: ../v2}]", "", "/v2"},
		{"[{url: 'ftp://a.example'}]", "", ""},
		{"[{url: 'https://{x}.example'}]", "", ""},
		{"[{url: 'https://user:secret@a.example'}]", "", ""},
		{"[{url: 'https://user:secret%@a.example'}]", "", ""},
		{"[{url: 'https://a.example/?key=secret'}]", "", "https://a.example"},
	} {
		document := strings.Replace(listPets, "servers: [{url: https://pets.example.com/v1}]", "servers: "+test.servers, 1)
		api, err := Load(t.Context(), write(t, map[string]string{"openapi.yaml": document}), Options{BaseURL: test.base})
		if err != nil || api.BaseURL != test.want {
			t.Errorf("%s, base %q: got %q, %v, want %q", test.servers, test.base, api.BaseURL, err, test.want)
		}
		if secret := strings.Contains(test.servers, "secret"); err == nil && secret != noted(api, "servers: the address has") || noted(api, "secret") {
			t.Errorf("%s: notes %v", test.servers, api.Notes)
		}
	}
	for _, base := range []string{"javascript:alert(1)", "b.example", "/v1", "//b.example/v1", "https://", " https://b.example", "https://b.example/?key=hunter2", "https://b.example#x", "https://ana:hunter2@b.example", "https://ana:hunter2%@b.example"} {
		_, err := Load(t.Context(), write(t, map[string]string{"openapi.yaml": listPets}), Options{BaseURL: base})
		if err == nil || !strings.Contains(err.Error(), "base URL") || strings.Contains(base, "@") && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("base %q: got %v", base, err)
		}
	}
	api := load(t, "  /a: {servers: [{url: 'https://up.example?key=1'}], get: {responses: {}}}\n", Options{})
	if got := only(t, api).BaseURL; got != "https://up.example" {
		t.Errorf("server of a path %q", got)
	}
	if !noted(api, "GET /a: servers", "a query", "was left out") {
		t.Errorf("no note about the query of a server in %v", api.Notes)
	}
}

func TestEnvPrefix(t *testing.T) {
	for title, want := range map[string]string{
		"Swagger Petstore - OpenAPI 3.0": "PETSTORE", "GitHub v3 REST API": "GITHUB", "GitHub's official OpenAPI spec": "GITHUB", "The Movie Database API": "MOVIE_DATABASE",
		"API": "API", "宠物": "API", "3D models": "MODELS", "A very long name of an API": "VERY_LONG_NAME",
	} {
		if got := envPrefix(title); got != want {
			t.Errorf("%q: got %s, want %s", title, got, want)
		}
	}
}

func TestVersions(t *testing.T) {
	for _, version := range []string{"3.0.0", "3.0.4", "3.1.1", "3.2.0"} {
		document := strings.Replace(listPets, "3.0.3", version, 1)
		api, err := Load(t.Context(), write(t, map[string]string{"openapi.yaml": document}), Options{})
		if err != nil || only(t, api).ToolName != "list_pets" {
			t.Errorf("%s: %v", version, err)
		}
	}
}

func TestDeterministic(t *testing.T) {
	dir := write(t, map[string]string{"openapi.json": `{"openapi":"3.0.0","info":{"title":"x","version":"1"},"paths":{"/b":{"put":{"tags":["b"],"responses":{}},"get":{"tags":["a"],"responses":{}},"delete":{"security":[{"x":[],"y":[]}],"responses":{}}},"/a":{"post":{"responses":{}}}}}`})
	first, err := Load(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		again, err := Load(t.Context(), dir, Options{})
		if err != nil || !reflect.DeepEqual(first, again) {
			t.Fatalf("the second API differs: %v", err)
		}
	}
}

// TestNothingTranslated checks that the error about a document names what was left out, and not another note.
func TestNothingTranslated(t *testing.T) {
	document := header + `paths:
  /a: {get: {parameters: [{name: q, in: query, schema: {type: unheard}}, {name: r, in: nowhere, required: true}], responses: {}}}
`
	_, err := Load(t.Context(), write(t, map[string]string{"openapi.yaml": document}), Options{})
	if err == nil || !strings.Contains(err.Error(), `"nowhere" is not a location of parameters; the operation was left out`) {
		t.Errorf("got %v", err)
	}
}

// TestTranslationCanceled checks that a large document can be interrupted.
func TestTranslationCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Load(ctx, write(t, map[string]string{"openapi.yaml": listPets}), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
