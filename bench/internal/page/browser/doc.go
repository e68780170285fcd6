// Package browser has no code: its tests use the page in Chromium. They are skipped if there is none, see make chromium.
package browser
