// The parts that are one program out of a package of Debian's.

import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { composePart } from '../deploy/compose-part.ts'
import { ownMachine } from './machine.ts'
import { promtool } from './promtool.ts'

const machine = ownMachine()

/** Puts the one program into `usr/…`, and something beside it. */
const dpkg = (folder: string, name: string) => `[ "$1" = --extract ] || exit 0
mkdir -p "$3/${folder}" "$3/usr/share"; printf '#!/bin/sh\\nexit 0\\n' >"$3/${folder}/${name}"; chmod 755 "$3/${folder}/${name}"`

describe.each([
  {
    name: 'promtool',
    partOf: promtool,
    // downloads into where it is run, unless it is only asked
    apt: `case "$*" in *--print-uris*) exit;; *download*) echo deb >prometheus_2_amd64.deb;; esac`,
    dpkg: dpkg('usr/bin', 'promtool'),
    bareApt: 'case "$*" in *--print-uris*) exit 100;; esac',
    unknown: 'apt-get knows no package prometheus: perhaps apt-get update has not been run',
  },
  {
    name: 'docker-compose',
    partOf: composePart,
    // knows a mirror; downloads into where it is run, if it was told another release's list
    apt: `case "$*" in
      indextargets*) echo http://mirror.example/debian; echo http://mirror.example/security;;
      *download*) [ "$(cat sources.list)" = "deb http://mirror.example/debian trixie main" ] && echo deb >docker-compose_2_amd64.deb;;
    esac`,
    dpkg: dpkg('usr/libexec/docker/cli-plugins', 'docker-compose'),
    bareApt: 'true',
    unknown: 'apt-get knows no mirror of Debian: perhaps apt-get update has not been run',
  },
])('$name', ({ name, partOf, apt, dpkg, bareApt, unknown }) => {
  it.each([
    ['no apt', {}, "it needs Debian's apt-get, which cannot be run"],
    ['no dpkg', { 'apt-get': apt }, "it needs Debian's dpkg-deb, which cannot be run"],
    ['an apt that was never updated', { 'apt-get': bareApt, 'dpkg-deb': dpkg }, unknown],
  ])('cannot be had with %s', async (_, programs, reason) => {
    expect(await machine.fetch(partOf(await machine.having(programs)))).toEqual({ status: 'impossible', reason })
  })

  it('is the one program of its package, and found again', async () => {
    const part = partOf(await machine.having({ 'apt-get': apt, 'dpkg-deb': dpkg }))
    const made = await machine.made(part)
    expect(await readdir(made)).toEqual([name])
    expect(await machine.find(part)).toBe(made)
    await rm(join(made, name))
    expect(await machine.find(part)).toBeUndefined()
  })

  it('says why when the download fails', async () => {
    const failing = apt.replace('*download*)', '*download*) echo "E: 404 Not Found" >&2; exit 100;')
    const part = partOf(await machine.having({ 'apt-get': failing, 'dpkg-deb': dpkg }))
    await expect(machine.fetch(part)).rejects.toThrow('404 Not Found')
  })
})
