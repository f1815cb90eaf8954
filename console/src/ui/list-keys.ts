import type { KeyboardEvent, RefObject } from 'react'
import { isField, usePageKeys } from './keys.ts'

/** `j` and `k` go through the rows of a page's list, and `x` ticks the row. Enter follows its link. */
export function useListKeys(box: RefObject<HTMLElement | null>): void {
  usePageKeys({
    j: () => move(box.current, 1),
    k: () => move(box.current, -1),
    x: () => {
      const row = document.activeElement?.closest('.row')
      if (row && box.current?.contains(row))
        row.querySelector<HTMLInputElement>('input[type=checkbox]')?.click()
    },
  })
}

/** Arrows go through the rows of the table that has the focus. */
export function onListKey(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined || isField(event.target)) return
  event.preventDefault()
  move(event.currentTarget, step)
}

function move(box: HTMLElement | null, step: number): void {
  const rows = [...(box?.querySelectorAll<HTMLElement>('.row:not(.head)') ?? [])]
  const current = rows.findIndex((row) => row.contains(document.activeElement))
  const next = current < 0 ? firstInView(rows) : rows[current + step]
  focusOf(next)?.focus()
}

function firstInView(rows: readonly HTMLElement[]): HTMLElement | undefined {
  return rows.find((row) => row.getBoundingClientRect().top >= 0) ?? rows[0]
}

function focusOf(row: HTMLElement | undefined): HTMLElement | null {
  return row?.matches('a') ? row : (row?.querySelector<HTMLElement>('a') ?? row ?? null)
}
