import { Button, type ButtonProps, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'

interface DeniableButtonProps extends Pick<ButtonProps, 'color' | 'variant' | 'size' | 'loading'> {
  /** Why the button does nothing now; undefined if it can be used. */
  readonly denied: string | undefined
  /** A key of the page that does the same. */
  readonly hotkey?: string
  readonly onClick: () => void
  readonly children: ReactNode
}

/**
 * A button that is grey while it is denied, and shows the reason. It is not `disabled`, so the keyboard and
 * screen readers reach it.
 */
export function DeniableButton({ denied, hotkey, onClick, children, ...look }: DeniableButtonProps) {
  return (
    <Tooltip label={denied ?? `Key ${hotkey}`} disabled={denied === undefined && hotkey === undefined}>
      <Button
        {...look}
        {...(denied === undefined ? {} : { 'data-disabled': true })}
        aria-disabled={denied !== undefined}
        aria-keyshortcuts={hotkey}
        onClick={(event) => (denied === undefined ? onClick() : event.preventDefault())}
      >
        {children}
      </Button>
    </Tooltip>
  )
}
