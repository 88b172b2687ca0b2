export default function ({ setTriggerValue }) {
  const plain = (event) =>
    event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;

  const download = (link) => {
    const chart = link.closest('[class*="st-key-chart_"]')?.querySelector('.js-plotly-plot');
    const options = chart?._context?.toImageButtonOptions;
    if (!options) return;
    options.format = link.dataset.image;
    options.scale = link.dataset.image === 'png' ? 2 : 1;
    chart.querySelector('.modebar-btn')?.click();
  };

  const follow = (event) => {
    const link = event.target.closest?.('.lens a, a.lens');
    if (!link || !plain(event)) return;
    const target = link.getAttribute('href') ?? '';
    if (link.dataset.image) {
      event.preventDefault();
      download(link);
    } else if (target.startsWith('./')) {
      event.preventDefault();
      setTriggerValue('go', target);
    }
  };

  document.addEventListener('click', follow, true);
  return () => document.removeEventListener('click', follow, true);
}
