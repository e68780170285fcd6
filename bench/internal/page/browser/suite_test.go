package browser_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/specdata"
)

// suite checks a file of the JSON Schema test suite in the page: a form has the value that it was made with, also after it
// was shown as JSON, and validate finds no mistake in a valid value.
const suite = `(async text => {
	const [{ editor }, { parse, canonical, write }, { validate }] = await Promise.all(['form', 'value', 'schema'].map(name => import(new URL(name + '.js', location.href))));
	const failed = [], fail = (group, test, why) => failed.push(group.description + ', ' + test.description + ': ' + why);
	let count = 0;
	for (const group of parse(text)) {
		for (const test of group.tests) {
			count++;
			for (const schema of [group.schema, { type: 'object', properties: { v: group.schema }, required: ['v'], $defs: group.schema?.$defs }]) {
				const value = schema === group.schema ? test.data : { v: test.data };
				if (schema !== group.schema && write(group.schema).includes('$ref')) continue; // references are within the document
				try {
					const form = editor(schema, value);
					for (const _ of [1, 2]) {
						if (canonical(form.get()) !== canonical(value)) fail(group, test, 'the form has ' + write(form.get()) + ', want ' + write(value));
						form.check();
						form.toggle.lastElementChild.click();
						form.toggle.firstElementChild.click();
					}
					const found = validate(schema, value, schema);
					if (test.valid && found.length && !test.description.includes('annotation by default')) fail(group, test, write(found));
				} catch (error) { fail(group, test, error.stack); }
			}
		}
	}
	return { count, failed };
})`

// TestSuite checks the forms of all schemas of the JSON Schema test suite.
func TestSuite(t *testing.T) {
	if testing.Short() {
		t.Skip("nightly")
	}
	files, err := filepath.Glob(specdata.Require(t, "jsonschema-suite", "draft2020-12") + "/*.json")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	b := startChromium(t)
	_, address := showPage(t, startShop(t))
	p := b.open(t, address, 1280, 900)
	for _, path := range files {
		if filepath.Base(path) == "vocabulary.json" {
			continue // of metaschemas in which keywords mean nothing
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				Count  int
				Failed []string
			}
			if err := p.eval(suite+`(`+quoted(string(data))+`)`, &got); err != nil {
				t.Fatal(err)
			}
			var groups []struct{ Tests []json.RawMessage }
			count := 0
			if err := json.Unmarshal(data, &groups); err != nil {
				t.Fatal(err)
			}
			for _, group := range groups {
				count += len(group.Tests)
			}
			if got.Count != count {
				t.Errorf("%d of %d tests have run", got.Count, count)
			}
			for _, failed := range got.Failed {
				t.Error(failed)
			}
		})
	}
}
