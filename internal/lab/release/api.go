package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/exp/apidiff"
	"golang.org/x/tools/go/packages"
)

// incompatible returns the incompatible changes of the public packages since a tag, one per line.
func incompatible(ctx context.Context, repo, tag string) (changes string, err error) {
	before, err := os.MkdirTemp("", "release")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(before) }()
	if _, err := run(ctx, repo, "git", "clone", "-q", "--branch", tag, ".", before); err != nil {
		return "", err
	}
	was, err := publicPackages(ctx, before)
	if err != nil {
		return "", err
	}
	is, err := publicPackages(ctx, repo)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = apidiff.ModuleChanges(was, is).TextIncompatible(&b, false)
	return b.String(), err
}

// publicPackages returns the packages that the directory api lists.
func publicPackages(ctx context.Context, repo string) (*apidiff.Module, error) {
	files, err := filepath.Glob(filepath.Join(repo, "api", "*.txt"))
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, file := range files {
		name, _ := strings.CutSuffix(filepath.Base(file), ".txt")
		paths = append(paths, core+"/"+strings.ReplaceAll(name, "_", "/"))
	}
	loaded, err := packages.Load(&packages.Config{Context: ctx, Dir: repo, Mode: packages.NeedName | packages.NeedTypes}, paths...)
	public := &apidiff.Module{Path: core}
	for _, p := range loaded {
		public.Packages = append(public.Packages, p.Types)
		for _, e := range p.Errors {
			err = errors.Join(err, e)
		}
	}
	return public, err
}
