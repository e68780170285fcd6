package comments

import "testing"

func TestDescribe(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		doc     string
		isField bool
		want    string
		reason  string
	}{
		{"Unit is the unit.", true, "The unit.", "the name and is are removed"},
		{"Unit are the units.", true, "The units.", "the plural of is"},
		{"Unit converts values.", false, "Converts values.", "a verb follows the name"},
		{"Unit converts.", false, "Converts.", "the verb ends the sentence"},
		{"Unit prices to use.", true, "Unit prices to use.", "in a field, a plural may follow the name"},
		{"Unit of the price.", false, "Unit of the price.", "no verb follows the name"},
		{"Units are kept.", true, "Units are kept.", "another word begins like the name"},
		{"the unit", true, "the unit", "a text without the name is kept"},
		{"Unit", true, "Unit", "nothing would be left"},
		{"First\nline, see [geo.Point] and [Find].\n\nSecond paragraph.", true, "First line, see geo.Point and Find.\n\nSecond paragraph.", "lines are joined, paragraphs are not; links are text"},
		{"", true, "", "no comment"},
	} {
		if got, cut := describe("Unit", test.doc, test.isField); got != test.want || cut {
			t.Errorf("describe(%q) = %q, %v, want %q; %s", test.doc, got, cut, test.want, test.reason)
		}
	}
}

func TestWithoutMarkers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, doc, want, reason string }{
		{"markers", "Size.\n+optional\n+kubebuilder:validation:Enum=a;b\n+k8s:openapi-gen=true\n+patchStrategy=merge\n+kubebuilder:resource:path=a b", "Size.\n", "generators read them"},
		{"linter", "Size.\nnolint:lll // long", "Size.\n", "the comment group removes only nolint without a space before it"},
		{"reminder", "Size.\n\nTODO(me): check\nthe maximum.\n\nIn bytes.", "Size.\n\n\nIn bytes.", "it ends with its paragraph"},
		{"fixme", "Size.\nFIXME wrong", "Size.\n", "it begins on a line of a paragraph"},
		{"only markers", "+optional", "", "nothing is left"},
		{"sums", "+1 adds one.\n+ is a sign.\n+a b", "+1 adds one.\n+ is a sign.\n+a b", "they are not in the form of a marker"},
		{"words", "Todo items.\nTODOS is a list.", "Todo items.\nTODOS is a list.", "they are other words"},
	} {
		if got := withoutMarkers(test.doc); got != test.want {
			t.Errorf("%s: withoutMarkers(%q) = %q, want %q; %s", test.name, test.doc, got, test.want, test.reason)
		}
	}
}
