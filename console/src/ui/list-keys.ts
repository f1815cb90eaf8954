import type { KeyboardEvent, RefObject } from 'react'
import { isField, usePageKeys } from './keys.ts'

/**
 * Keyboard navigation in a page's list: `j` and `k` move between rows, `x` selects a row, and Enter follows
 * its link.
 */
export function useListKeys(box: RefObject<HTMLElement | null>): void {
  usePageKeys({
    j: () => moveFocus(box.current, 1),
    k: () => moveFocus(box.current, -1),
    x: () => {
      const row = document.activeElement?.closest('.row')
      if (row && box.current?.contains(row))
        row.querySelector<HTMLInputElement>('input[type=checkbox]')?.click()
    },
  })
}

/** Arrow keys move between the rows of the focused table. */
export function onListKey(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined || isField(event.target)) return
  event.preventDefault()
  moveFocus(event.currentTarget, step)
}

function moveFocus(box: HTMLElement | null, step: number): void {
  const rows = [...(box?.querySelectorAll<HTMLElement>('.row:not(.head)') ?? [])]
  const current = rows.findIndex((row) => row.contains(document.activeElement))
  const next = current < 0 ? findFirstInView(rows) : rows[current + step]
  findFocusable(next)?.focus()
}

function findFirstInView(rows: readonly HTMLElement[]): HTMLElement | undefined {
  return rows.find((row) => row.getBoundingClientRect().top >= 0) ?? rows[0]
}

function findFocusable(row: HTMLElement | undefined): HTMLElement | null {
  return row?.matches('a') ? row : (row?.querySelector<HTMLElement>('a') ?? row ?? null)
}
