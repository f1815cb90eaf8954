import { Button, type ButtonProps, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'

interface DeniableButtonProps extends Pick<ButtonProps, 'color' | 'variant' | 'size' | 'loading'> {
  /** Why the button is unavailable. Undefined if it can be used. */
  readonly denied: string | undefined
  /** The page's keyboard shortcut for the button. */
  readonly hotkey?: string
  readonly onClick: () => void
  readonly children: ReactNode
}

/**
 * A button that is grayed out and says why while `denied` is set. It is not `disabled`, so that keyboard and
 * screen reader users can reach it.
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
