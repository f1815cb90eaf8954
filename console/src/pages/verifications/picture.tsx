import { ActionIcon, Group, Tooltip } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { RotateIcon, ZoomInIcon, ZoomOutIcon } from '../../ui/icons.tsx'

const ZOOM_STEP = 1.5
const ZOOM_MAX = 8
const QUARTER_DEGREES = 90

/** A document image that can be zoomed and rotated. When zoomed, it scrolls inside its own box. */
export function Picture({ url, title }: { readonly url: string; readonly title: string }) {
  const [zoom, setZoom] = useState(1)
  const [quarters, setQuarters] = useState(0)
  const size = (unit: 'cqw' | 'cqh') => `${zoom * 100}${unit}`
  const isSideways = quarters % 2 === 1
  return (
    <div className="picture">
      <Group gap={4}>
        <Tool
          label="Zoom in"
          isOff={zoom * ZOOM_STEP > ZOOM_MAX}
          act={() => setZoom(zoom * ZOOM_STEP)}
          icon={<ZoomInIcon />}
        />
        <Tool
          label="Zoom out"
          isOff={zoom <= 1}
          act={() => setZoom(Math.max(1, zoom / ZOOM_STEP))}
          icon={<ZoomOutIcon />}
        />
        <Tool
          label="Rotate"
          isOff={false}
          act={() => setQuarters((quarters + 1) % 4)}
          icon={<RotateIcon />}
        />
        <span className="soft figures" aria-live="polite">
          {Math.round(zoom * 100)} %{quarters > 0 && `, ${quarters * QUARTER_DEGREES}°`}
        </span>
      </Group>
      <section
        className="stage"
        aria-label={`Picture: ${title}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        tabIndex={0}
      >
        <div style={{ width: size('cqw'), height: size('cqh') }}>
          <img
            src={url}
            alt={title}
            style={{
              width: isSideways ? size('cqh') : size('cqw'),
              height: isSideways ? size('cqw') : size('cqh'),
              transform: `translate(-50%, -50%) rotate(${quarters * QUARTER_DEGREES}deg)`,
            }}
          />
        </div>
      </section>
    </div>
  )
}

function Tool(props: {
  readonly label: string
  readonly isOff: boolean
  readonly act: () => void
  readonly icon: ReactNode
}) {
  const { label, isOff, act, icon } = props
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" aria-label={label} disabled={isOff} onClick={act}>
        {icon}
      </ActionIcon>
    </Tooltip>
  )
}
