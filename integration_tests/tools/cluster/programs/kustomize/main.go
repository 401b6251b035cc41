// Prints what Kustomize makes of a folder.
package main

import (
	"log"
	"os"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

func main() {
	objects, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	text, err := objects.AsYaml()
	if err != nil {
		log.Fatal(err)
	}
	os.Stdout.Write(text)
}
