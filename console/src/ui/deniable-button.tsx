import { Button, type ButtonProps, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'

interface DeniableButtonProps extends Pick<ButtonProps, 'color' | 'variant' | 'size' | 'loading'> {
  /** Why the button is unavailable. Undefined if it can be used. */
  readonly disabledReason: string | undefined
  /** The page's keyboard shortcut for the button. */
  readonly hotkey?: string
  readonly onClick: () => void
  readonly children: ReactNode
}

/**
 * A button, grayed out with an explanation while `disabledReason` is set. It is not `disabled`, so keyboard
 * and screen reader users can reach it.
 */
export function DeniableButton({ disabledReason, hotkey, onClick, children, ...look }: DeniableButtonProps) {
  return (
    <Tooltip
      label={disabledReason ?? `Key ${hotkey}`}
      disabled={disabledReason === undefined && hotkey === undefined}
    >
      <Button
        {...look}
        {...(disabledReason === undefined ? {} : { 'data-disabled': true })}
        aria-disabled={disabledReason !== undefined}
        aria-keyshortcuts={hotkey}
        onClick={(event) => (disabledReason === undefined ? onClick() : event.preventDefault())}
      >
        {children}
      </Button>
    </Tooltip>
  )
}
