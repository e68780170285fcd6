package apps_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/extension/apps"
)

func TestVisibility(t *testing.T) {
	t.Parallel()
	t.Run("APP-05", func(t *testing.T) {
		ui, flat := uiOf(t, define(t, apps.Visibility(apps.AudienceApp)))
		if diff := cmp.Diff(map[string]any{"visibility": []any{"app"}}, ui); diff != "" || flat != "" {
			t.Errorf("flat member %q, _meta.ui -want +got:\n%s", flat, diff)
		}
	})
	t.Run("with a view", func(t *testing.T) {
		ui, flat := uiOf(t, define(t, apps.Visibility(apps.AudienceModel, apps.AudienceApp), apps.View(files("v.html", document), "v.html")))
		if diff := cmp.Diff(map[string]any{"visibility": []any{"model", "app"}, "resourceUri": flat}, ui); diff != "" || flat == "" {
			t.Errorf("flat member %q, _meta.ui -want +got:\n%s", flat, diff)
		}
	})
}
